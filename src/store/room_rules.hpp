// SPDX-License-Identifier: Apache-2.0
// Rules that every store applies in the same way: a room's creation, status and timers, keys of deleted events.
#pragma once

#include "convene/delivery.hpp"
#include "convene/room.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <optional>

namespace convene {

/// How long the key of a hard-deleted event is remembered.
inline constexpr std::chrono::hours deleted_key_lifetime{24};

/// The room that is stored when `wanted` is created: counters and epochs start afresh.
[[nodiscard]] room fresh_room(const room& wanted, wall_time now);

/// Gives the room a status with the times that belong to it, and raises its config.
void change_status(room& changed, room_status status, wall_time now);

/// When the room's timer acts, by its status; unset: never.
[[nodiscard]] std::optional<wall_time> timer_due_at(const room& info);

/// What a timer that is due does: pause or close.
[[nodiscard]] room_status status_after_timer(room_status status);

/// The framework event of a room whose timer acted.
[[nodiscard]] framework_event timer_notice(const room& changed);

}  // namespace convene
