// SPDX-License-Identifier: Apache-2.0
// What every store does with the rows of a skip that is replayed.
#pragma once

#include "convene/delivery.hpp"

namespace convene {

/// Where a row goes when an operator replays the skip it belongs to.
enum class replay_course {
    none,    ///< it was not skipped, or can't be reached any more
    queue,   ///< to the outbound queue: a channel's
    reopen,  ///< an agent's, or an after-hook's: whoever has the claim executes it
};

[[nodiscard]] inline replay_course course_of_replay(const delivery_row& row) {
    const bool is_reachable = row.state == delivery_state::skipped && !row.is_bound &&
                              row.outcome.error_code != "event_deleted";
    if (!is_reachable) {
        return replay_course::none;
    }
    return row.kind == target_kind::channel ? replay_course::queue : replay_course::reopen;
}

/// Without an id yet; due at once.
[[nodiscard]] inline outbound_item item_of_replay(const delivery_row& row, wall_time now) {
    outbound_item item;
    item.room = row.room;
    item.channel = row.channel;
    item.address = row.address;
    item.event = row.event;
    item.index = row.index;
    item.delivery = row.id;
    item.not_before = now;
    return item;
}

}  // namespace convene
