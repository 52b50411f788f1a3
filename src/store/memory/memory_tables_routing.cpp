// SPDX-License-Identifier: Apache-2.0
// The memory tables: routes from senders to rooms, rooms by channel, and room timers.
#include <utility>

#include "store/memory/memory_tables.hpp"
#include "store/room_rules.hpp"

namespace convene {

// -- routing ----------------------------------------------------------------------------------

void memory_tables::list_for_routing(const room_record& record) {
    if (!is_open(record.info.status)) {
        return;
    }
    for (const auto& [channel, bound] : record.bindings) {
        open_rooms_by_channel_[{record.info.organization, channel}].insert(record.info.id);
    }
}

void memory_tables::unlist_for_routing(const room_record& record) {
    for (const auto& [channel, bound] : record.bindings) {
        const auto listed = open_rooms_by_channel_.find({record.info.organization, channel});
        if (listed == open_rooms_by_channel_.end()) {
            continue;
        }
        listed->second.erase(record.info.id);
        if (listed->second.empty()) {
            open_rooms_by_channel_.erase(listed);
        }
    }
}

void memory_tables::forget_routes_to(const room_record& record) {
    for (const route_key& route : record.routes) {
        const auto known = routes_.find(route);
        if (known != routes_.end() && known->second == record.info.id) {
            routes_.erase(known);
        }
    }
}

room_record* memory_tables::follow_route(const route_key& route) {
    const auto known = routes_.find(route);
    if (known == routes_.end()) {
        return nullptr;
    }
    room_record* const record = find_room(known->second);
    return record != nullptr && is_open(record->info.status) ? record : nullptr;
}

result<std::optional<room_id>> memory_tables::apply(const ops::find_route& request) {
    const room_record* const record = follow_route(
        {request.organization, request.channel, request.sender}
    );
    if (record == nullptr) {
        return std::optional<room_id>{};
    }
    return std::optional{record->info.id};
}

result<room_id> memory_tables::apply(const ops::create_routed_room& request) {
    const route_key route{request.room.organization, request.channel, request.sender};
    if (const room_record* const winner = follow_route(route)) {
        return winner->info.id;
    }
    if (!can_create(request.room)) {
        return errc::already_exists;
    }
    room_record& record = add_room(request.room, request.bindings, request.participants);
    record.routes.push_back(route);
    routes_.insert_or_assign(route, request.room.id);
    return request.room.id;
}

result<std::vector<room_id>> memory_tables::apply(const ops::find_rooms_by_channel& request) {
    std::vector<room_id> found;
    const auto listed = open_rooms_by_channel_.find({request.organization, request.channel});
    if (listed == open_rooms_by_channel_.end()) {
        return found;
    }
    for (const room_id& id : listed->second) {
        if (found.size() == request.limit) {
            break;
        }
        found.push_back(id);
    }
    return found;
}

// -- timers -----------------------------------------------------------------------------------

void memory_tables::arm_timer(room_record& record) {
    if (record.timer_due) {
        timers_.erase({*record.timer_due, record.info.id});
    }
    record.timer_due = timer_due_at(record.info);
    if (record.timer_due) {
        timers_.insert({*record.timer_due, record.info.id});
    }
}

/// True if the status changed; else the room was active since, and its timer is armed again.
bool memory_tables::apply_timer(room_record& record, wall_time now) {
    const std::optional<wall_time> due = timer_due_at(record.info);
    if (!due || *due > now) {
        arm_timer(record);
        return false;
    }
    change_status(record, status_after_timer(record.info.status), now);
    return true;
}

result<ops::apply_due_timers::answer> memory_tables::apply(const ops::apply_due_timers& request) {
    const wall_time now = clock_.now();
    // Taken before any is applied: a room that pauses may be due again at once, in the next call.
    std::vector<room_id> due;
    for (const auto& [at, id] : timers_) {
        if (at > now || due.size() == request.limit) {
            break;
        }
        due.push_back(id);
    }

    ops::apply_due_timers::answer answer;
    answer.has_more = due.size() == request.limit;
    std::vector<framework_event> notices;
    for (const room_id& id : due) {
        room_record& record = *find_room(id);
        if (apply_timer(record, now)) {
            answer.changed.push_back(record.info);
            notices.push_back(timer_notice(record.info));
        }
    }
    add_notices(std::move(notices), now);
    return answer;
}

}  // namespace convene
