// SPDX-License-Identifier: Apache-2.0
// D1: the delivery plan, which is fixed under the room lock: who gets an event, who answers it,
// what runs after.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "room/proposal.hpp"

namespace convene {

/// What the plan needs to know besides the room and the event.
struct plan_inputs {
    origin from = origin::sent;
    incarnation_id committed_by;
    std::vector<channel_id> targets;                  ///< of an injected event
    channel_id shown_on;                              ///< has the event already; empty: none
    std::function<bool(const channel_id&)> is_bound;  ///< reachable through this process only
    std::vector<hook_id> after_hooks;                 ///< that the event meets, in their order
};

/// The rows of an event: channels and agents in the order of their bindings, then the after-hooks.
///
/// | a row for           | if                                                                |
/// | ------------------- | ----------------------------------------------------------------- |
/// | anybody             | the event is not blocked                                          |
/// | a channel, an agent | it may see the event, is not its source, does not show it already |
/// | ... a transport     | always; of an injected event, if it is among the targets          |
/// | ... an agent        | the event asks it: the first line below that applies              |
/// | an after-hook       | the event meets it and is not injected                            |
///
/// | the event                                              | asks                     |
/// | ------------------------------------------------------ | ------------------------ |
/// | is injected                                            | nobody                   |
/// | is a later part of an answer (`speaks_for_its_answer`) | nobody                   |
/// | is a message or `custom`, and addressed                | those it is addressed to |
/// | is no message, or is a greeting                        | nobody                   |
/// | is an agent's, in a room that is `addressed_only`      | nobody                   |
/// | is any other                                           | every agent              |
///
/// A muted agent is asked: it thinks, though what it says will be blocked.
[[nodiscard]] std::vector<delivery_row> plan_deliveries(
    const room_context& context, const room_event& event, const plan_inputs& inputs
);

/// R11: what is left for each reply to an event with this budget that `agent_rows` agents answer.
/// Below 0 the reply is more than the cascade may cause, and is blocked.
///
/// The budget of an event counts all that it causes. It is divided, not shared: every reply takes
/// its own part with it, so the whole tree stays within the root's budget on any number of rooms
/// and workers, and after any crash, without a counter that all of them would have to agree on.
/// *Requires*: `agent_rows` is at least 1.
[[nodiscard]] std::int32_t split_budget(std::int32_t budget, std::size_t agent_rows) noexcept;

/// R11: what the hooks that are asked about an event before its commit may cause, together; the rest is for those
/// that answer it.
[[nodiscard]] constexpr std::int32_t budget_of_hooks(std::int32_t budget) noexcept {
    return budget > 0 ? budget / 2 : 0;
}

}  // namespace convene
