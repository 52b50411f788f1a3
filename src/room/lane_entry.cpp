// SPDX-License-Identifier: Apache-2.0
// Who shares the budget of an event.
#include "room/lane_entry.hpp"

#include <algorithm>

namespace convene {

std::size_t count_budget_sharers(const lane_entry& entry, const hook_registry& local) {
    const auto sharers = std::ranges::count_if(entry.rows, [&local](const delivery_row& row) {
        const bool is_remote_hook = row.kind == target_kind::hook_after &&
                                    local.find(hook_id{row.channel.str()}) == nullptr;
        return row.kind == target_kind::agent || is_remote_hook;
    });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(sharers, 1));
}

}  // namespace convene
