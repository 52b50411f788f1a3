// SPDX-License-Identifier: Apache-2.0
// One room in memory with all that hangs on it, and the rules that its compares follow.
#pragma once

#include "convene/delivery.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/memory/timeline.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

using route_key = std::tuple<organization_id, channel_id, std::string>;
using marker_key = std::pair<std::string, std::string>;  ///< thread, reader

struct room_record {
    room info;  ///< its `delivered_index` is the cursor's

    // The rest of the delivery cursor.
    incarnation_id claimer;
    std::int64_t claim_epoch = 0;
    std::int32_t takeovers = 0;
    std::optional<wall_time> lane_paused_at;

    timeline events;
    std::map<channel_id, binding> bindings;
    std::map<participant_id, participant> participants;
    std::map<marker_key, event_index> markers;
    std::map<task_id, room_task> tasks;
    std::map<observation_id, observation> observations;

    // Where the store's indexes have the room.
    std::optional<wall_time> timer_due;
    std::optional<incarnation_id> cursor_waits_for;  ///< who committed the event that the cursor is
                                                     ///< in front of
    std::vector<route_key> routes;                   ///< some may lead elsewhere by now
};

[[nodiscard]] delivery_cursor cursor_of(const room_record& record);

/// R1, R3, L7: a commit decided on the room as it still is.
[[nodiscard]] bool is_current(const room_record& record, const ops::commit& batch);

/// D3, L7: the epoch is that of the last claim.
[[nodiscard]] bool holds_claim(const room_record& record, std::int64_t claim_epoch);

/// D3: the cursor stands right in front of the set.
[[nodiscard]] bool is_next_for_delivery(const room_record& record, event_index index);

/// D13: a step that was made already.
[[nodiscard]] bool has_delivered(const room_record& record, event_index index);

}  // namespace convene
