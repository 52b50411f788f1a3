// SPDX-License-Identifier: Apache-2.0
// Runs that were cut off and that nobody goes on with: what they had shown is kept, and their streams get an end.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <cstdint>
#include <vector>

#include "agent/session/run_log.hpp"
#include "agent/session/shown_messages.hpp"

namespace convene {

/// The session whose runs are closed, and by which right.
struct closed_session {
    organization_id organization;
    room_id room;
    channel_id agent;
    std::int64_t epoch = 0;  ///< the session's, of the driver that it has or had last
};

/// The frames with which the stream of one of its runs ends; before that what the run has shown is kept as what it said.
/// *Requires*: the session's lease, and `run` has no end yet. *Errors*: `driver_fenced`, store errors.
[[nodiscard]] awaitable<result<std::vector<run_frame>>> make_last_frames(
    conversation_store* store, closed_session of, agent_run_record run, event_append append
);

/// Closes all interrupted runs whose streams nobody came to close, in the order in which they began: what one of them had shown
/// comes before the first word of the next. It may be done again.
/// *Requires*: the session's lease. *Errors*: `driver_fenced`, store errors.
[[nodiscard]] awaitable<result<>> close_interrupted_runs(
    conversation_store* store, run_log* streams, closed_session of, event_append append
);

}  // namespace convene
