// SPDX-License-Identifier: Apache-2.0
// What every store does with rows that an operator has delivered after all.
#pragma once

#include "convene/delivery.hpp"

namespace convene {

/// Where a row goes when an operator has it delivered after all.
enum class replay_course {
    none,    ///< it was delivered or still will be, or can't be reached any more
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

/// The target of the row did not get the event, and will not by itself.
[[nodiscard]] inline bool has_missed(const delivery_row& row) {
    return row.state == delivery_state::failed || row.state == delivery_state::skipped;
}

/// Where a row of an event goes that an operator has delivered again; `delivered` is the room's cursor.
[[nodiscard]] inline replay_course course_of_redelivery(delivery_row row, event_index delivered) {
    if (row.state == delivery_state::failed) {
        row.state = delivery_state::skipped;
    }
    const replay_course course = course_of_replay(row);
    const bool is_in_front = row.index > delivered;
    return course == replay_course::queue && is_in_front ? replay_course::reopen : course;
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
