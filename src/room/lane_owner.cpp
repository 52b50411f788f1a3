// SPDX-License-Identifier: Apache-2.0
// Owners of events, from their rows.
#include "room/lane_owner.hpp"

#include <algorithm>

namespace convene {

head_owner owner_of(
    const ops::load_lane::entry& stored, const incarnation_id& me, std::int32_t newest_format
) {
    bool is_open = false;
    bool is_handed_over = true;
    for (const delivery_row& row : stored.rows) {
        if (is_final(row.state)) {
            continue;
        }
        if (row.kind == target_kind::hook_after) {
            continue;
        }
        if (row.committed_by == me) {
            return head_owner::me;
        }
        is_open = true;
        is_handed_over = is_handed_over && row.committed_by.empty();
    }
    if (!is_open) {
        return head_owner::nobody_needed;
    }
    if (!stored.owner_is_gone) {
        return head_owner::live_other;
    }
    if (stored.format > newest_format) {
        return head_owner::newer;
    }
    return is_handed_over ? head_owner::handed_over : head_owner::dead;
}

incarnation_id owner_of_open_row(const ops::load_lane::entry& stored) {
    const auto open = std::ranges::find_if(stored.rows, [](const delivery_row& row) {
        return !is_final(row.state) && row.kind != target_kind::hook_after;
    });
    return open == stored.rows.end() ? incarnation_id{} : open->committed_by;
}

}  // namespace convene
