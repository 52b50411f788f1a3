// SPDX-License-Identifier: Apache-2.0
// The gates of a room, R6: what is decided about a proposal under the lock, before its hooks and
// after them.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/uuid.hpp"
#include "room/gate_facts.hpp"
#include "room/hook_verdict.hpp"
#include "room/proposal.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// Limits of what one event may cause.
struct room_limits {
    std::int32_t max_chain_depth = 5;  ///< below 1 counts as 1: it can't be switched off
};

/// The proposal's key is known: its sender gets the first result, with the original outcome.
struct replayed {
    room_event event;
};

/// The event will be stored, blocked or not. Hooks are asked only about one that is not blocked.
struct admitted {
    room_event event;
    std::vector<framework_event> notices;
};

using gate_decision = std::variant<refusal, replayed, admitted>;

/// Decides everything up to the hooks. The first gate that does not let a proposal through answers:
///
/// | gate           | does not let through            | answer                             |
/// | -------------- | ------------------------------- | ---------------------------------- |
/// | R4 status      | all, if closed or archived      | refused, `room_closed`             |
/// | shape          | content not of the event's type | refused, `invalid_argument`        |
/// |                | a reply's key on other events   | refused, `invalid_argument`        |
/// |                | a person speaking as the server | refused, `not_authorized`          |
/// | R8 idempotency | a key with the same request     | replayed                           |
/// |                | a key with another request      | refused, `idempotency_key_reused`  |
/// |                | a key of a hard-deleted event   | refused, `event_deleted`           |
/// | R12 thread     | (a lost parent is a notice)     | passes                             |
/// | R13 changes    | a change without the right      | refused, see `authorize_change`    |
/// | R11 depth      | what is as deep as the limit    | blocked, `chain_depth_exceeded`    |
/// | R11 budget     | more than a cascade may cause   | blocked, `cascade_budget_exceeded` |
///
/// What is blocked is stored, with a notice of that type; what is refused is not.
[[nodiscard]] gate_decision pass_gates(
    const gate_facts& facts, const proposal& proposed, const room_limits& limits
);

/// An event as it is committed, with what the decision adds to the commit.
struct conclusion {
    room_event event;
    std::optional<ops::target_change> change;  ///< of an edit or delete that is not blocked
    std::vector<proposal> injected;  ///< to be decided next, in this order: after their cause
    std::vector<room_task> tasks;    ///< of the hooks, kept whether or not the event is blocked
    std::vector<observation> observations;  ///< likewise
    std::vector<framework_event> notices;
};

/// Decides everything after the hooks: what they made of the event (R9), write permission (R10),
/// what an edit or delete changes (R13, taken from the content the hooks left), the place of what
/// they injected (R11a). Every blocked event has a notice `event_blocked`. `hooks` is as it is made
/// where no hook was asked.
[[nodiscard]] conclusion conclude(
    const room_context& context,
    const proposal& proposed,
    admitted in,
    hook_chain_outcome hooks,
    id_generator* ids
);

}  // namespace convene
