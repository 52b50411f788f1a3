// SPDX-License-Identifier: Apache-2.0
// What a lane executes: an event, its planned rows, and who waits for it.
#pragma once

#include "convene/delivery.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "room/cascade.hpp"
#include "room/hook_registry.hpp"

namespace convene {

struct lane_entry {
    room_event event;
    std::vector<delivery_row> rows;
    std::shared_ptr<const room_context> context;
    cascade::unit unit;           ///< released when the set and its replies have run
    bool is_callers_own = false;  ///< the cascade's root: its target results are reported
    bool follows_crash = false;   ///< taken over from a dead worker
    std::vector<room_id> chain;   ///< rooms whose callers wait for this delivery
};

/// R11: how many rows of an event may cause something, its agents and its remote after-hooks: they share its budget.
[[nodiscard]] std::size_t count_budget_sharers(const lane_entry& entry, const hook_registry& local);

}  // namespace convene
