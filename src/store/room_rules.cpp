// SPDX-License-Identifier: Apache-2.0
// The rules of a room's life as stores keep it: creation, status, timers.
#include "store/room_rules.hpp"

#include <algorithm>
#include <chrono>

namespace convene {

namespace {

/// The one rule for the times that belong to a status.
void stamp_status(room& info, wall_time now) {
    switch (info.status) {
        case room_status::active:
            info.paused_at.reset();
            info.closed_at.reset();
            break;
        case room_status::paused:
            info.paused_at = now;
            info.closed_at.reset();
            break;
        case room_status::closed:
        case room_status::archived:
            info.closed_at = info.closed_at.value_or(now);
            break;
    }
}

wall_time later(wall_time start, std::chrono::seconds span) {
    // Longer spans mean "never" and must not overflow.
    constexpr std::chrono::seconds a_thousand_years = std::chrono::hours{24 * 365'250};
    return start + std::min(span, a_thousand_years);
}

}  // namespace

room fresh_room(const room& wanted, wall_time now) {
    const room initial;
    room made = wanted;
    made.config = initial.config;
    made.timeline_epoch = initial.timeline_epoch;
    made.next_index = initial.next_index;
    made.event_count = initial.event_count;
    made.latest_index = initial.latest_index;
    made.delivered_index = initial.delivered_index;
    made.lock_epoch = initial.lock_epoch;
    made.created_at = made.updated_at = made.last_activity_at = now;
    made.paused_at.reset();
    made.closed_at.reset();
    stamp_status(made, now);
    return made;
}

void change_status(room& changed, room_status status, wall_time now) {
    changed.status = status;
    stamp_status(changed, now);
    ++changed.config;
    changed.updated_at = now;
}

std::optional<wall_time> timer_due_at(const room& info) {
    if (info.status == room_status::active && info.timers.inactive_after) {
        return later(info.last_activity_at, *info.timers.inactive_after);
    }
    if (info.status == room_status::paused && info.timers.closed_after && info.paused_at) {
        return later(*info.paused_at, *info.timers.closed_after);
    }
    return std::nullopt;
}

room_status status_after_timer(room_status status) {
    return status == room_status::active ? room_status::paused : room_status::closed;
}

framework_event timer_notice(const room& changed) {
    framework_event notice;
    notice.type = changed.status == room_status::paused ? "room_paused" : "room_closed";
    notice.organization = changed.organization;
    notice.room = changed.id;
    return notice;
}

}  // namespace convene
