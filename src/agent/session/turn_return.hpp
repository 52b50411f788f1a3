// SPDX-License-Identifier: Apache-2.0
// Turns that this worker lives on without: they go back into the queue, for whoever gets the session next (N2, N3).
#pragma once

#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include "store/operations/sessions.hpp"

namespace convene {

/// Gives a turn back, also if the store can't be reached for a while. If somebody has the session already, the epoch says
/// so. True: it is queued. False: it is somebody else's, or `until` is stopping: the end of this worker gives it back.
[[nodiscard]] awaitable<bool> give_turn_back(
    room_kit* kit, const task_scope* until, ops::requeue_turn back
);

/// After a beginning whose outcome is unknown, of which nobody was told that it is to be driven: if it is stored, its turn is
/// given back. The caller holds the session's lease until this answers, so that nobody else begins it meanwhile.
/// True: it is queued. False: nothing was stored, or `until` is stopping.
[[nodiscard]] awaitable<bool> undo_beginning(
    room_kit* kit, const task_scope* until, agent_run_record begun
);

/// A turn whose lease is gone: nobody crashed, so it is no attempt that counts.
[[nodiscard]] ops::requeue_turn lost_turn(turn_id turn, std::int64_t epoch);

/// A turn whose session is still ours, and for which the store did not take what had to be written: it is tried again after a
/// second, and that counts, since what the store never takes must come to an end.
[[nodiscard]] ops::requeue_turn refused_turn(turn_id turn, std::int64_t epoch);

/// Where nothing has become of a turn that was to be run, it is still due, and a next look would find it at once: waits a second.
[[nodiscard]] awaitable<void> pause_where_still_due(room_kit* kit, session_turn due);

}  // namespace convene
