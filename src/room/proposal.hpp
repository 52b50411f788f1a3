// SPDX-License-Identifier: Apache-2.0
// A proposal: an event somebody wants in a room, before anything was decided about it.
#pragma once

#include "convene/cause.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "base/uuid.hpp"
#include "room/cause_ledger.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// How an event came about. It decides which gates and hooks apply.
enum class origin : std::uint8_t {
    inbound,  ///< a person's message received by a channel
    sent,     ///< `send_event`
    reply,    ///< an agent's answer or segment: guarded by its row
    injected,  ///< by a hook: no hooks run on it, it solicits nobody, goes to the named channels only
    greeting,  ///< an agent's own opening
};

/// What a writer is given. The event has its id, room, type, content and source; not yet an index.
struct proposal {
    room_event event;
    origin from = origin::sent;

    std::optional<ops::commit::inbound_key> inbound_key;
    std::optional<ops::commit::row_guard> guard;  ///< replies: the agent row
    std::optional<ops::commit::row_end> row_end;  ///< a whole answer ends its row
    std::optional<ops::commit::session_append>
        session;  ///< of a session's driver: guarded by its epoch
    std::vector<room_task> tasks;
    std::vector<observation> observations;

    /// Injected events: exactly these channels get it; empty: stored only.
    std::vector<channel_id> targets;

    /// A channel that shows the event already (a streamed answer on its own transport).
    channel_id shown_on;

    /// The rooms that wait for the sender: those whose lock or lane it is inside of, those of its cause. Waiting
    /// for them would never end.
    std::vector<room_id> chain;

    /// Set: under another configuration of the room its sender may not be allowed to send it.
    std::optional<config_version> permitted_at;

    /// The proposal repeats work whose first run may have killed its worker: hooks are counted.
    bool follows_crash = false;
};

/// R11: gives what somebody sends because of a call of ours its place in the cascade that the call belongs to.
void place_behind(const event_cause& cause, cause_ledger* counted, proposal* sent);

/// The tasks and observations that an agent leaves with its event belong to the event's room, under ids of ours.
void complete_notes(id_generator* ids, proposal* sent);

}  // namespace convene
