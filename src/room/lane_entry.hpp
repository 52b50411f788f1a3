// SPDX-License-Identifier: Apache-2.0
// What a lane executes: an event, its planned rows, and who waits for it.
#pragma once

#include "convene/cause.hpp"
#include "convene/delivery.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "channel/channel_registry.hpp"
#include "room/cascade.hpp"
#include "room/hook_registry.hpp"

namespace convene {

struct lane_entry {
    room_event event;
    std::vector<delivery_row> rows;
    std::shared_ptr<const room_context> context;
    cascade::unit unit;           ///< released when the set and its replies have run
    bool is_callers_own = false;  ///< the cascade's root: its target results are reported
    bool is_from_store =
        false;  ///< it did not come from its commit: somebody may have executed some of it
    bool follows_crash = false;   ///< taken over from a dead worker
    incarnation_id former_owner;  ///< that worker
    std::vector<room_id> chain;   ///< rooms whose callers wait for this delivery
};

/// R11: how many rows of an event may cause something: its agents, its remote after-hooks, its channels that carry
/// causes. They share its budget.
[[nodiscard]] std::size_t count_budget_sharers(
    const std::vector<delivery_row>& rows,
    const hook_registry& local,
    const channel_registry& channels
);

/// What the delivery of a row carries, so that what it leads to takes part in the event's cascade. `waiting` are the
/// rooms that wait for the end of the delivery.
[[nodiscard]] event_cause make_delivery_cause(
    const organization_id& organization,
    const room_event& event,
    const delivery_row& row,
    std::size_t budget_sharers,
    std::vector<room_id> waiting
);

}  // namespace convene
