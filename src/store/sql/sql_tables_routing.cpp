// SPDX-License-Identifier: Apache-2.0
// The SQL tables: routes from senders to rooms, rooms by channel, and room timers.
#include <utility>

#include "store/room_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

room_id read_room_id(query& row) {
    room_id id;
    row.read(id);
    return id;
}

}  // namespace

// -- routing -----------------------------------------------------------------------------------------

std::optional<room_id> sql_tables::follow_route(
    const organization_id& organization, const channel_id& channel, const std::string& sender
) {
    query route = db_.select(
        "SELECT i.room_id, r.status FROM inbound_routes i CROSS JOIN rooms r ON r.id = i.room_id"
        " WHERE i.organization_id = ?1 AND i.channel_id = ?2 AND i.sender = ?3",
        organization,
        channel,
        sender
    );
    if (!route.next()) {
        return std::nullopt;
    }
    room_id id;
    room_status status{};
    route.read(id, status);
    return is_open(status) ? std::optional{std::move(id)} : std::nullopt;
}

result<std::optional<room_id>> sql_tables::perform(const ops::find_route& request) {
    return follow_route(request.organization, request.channel, request.sender);
}

result<room_id> sql_tables::perform(const ops::create_routed_room& request) {
    const organization_id& organization = request.room.organization;
    if (std::optional<room_id> winner = follow_route(
            organization, request.channel, request.sender
        )) {
        return *std::move(winner);
    }
    if (!can_create(request.room)) {
        return errc::already_exists;
    }
    const room added = add_room(request.room, request.bindings, request.participants);
    db_.run(
        "INSERT INTO inbound_routes (organization_id, channel_id, sender, room_id)"
        " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (organization_id, channel_id, sender)"
        " DO UPDATE SET room_id = ?4",
        organization,
        request.channel,
        request.sender,
        added.id
    );
    return added.id;
}

result<std::vector<room_id>> sql_tables::perform(const ops::find_rooms_by_channel& request) {
    return collect(
        db_.select(
            "SELECT room_id FROM bindings WHERE organization_id = ?1 AND channel_id = ?2 AND"
            " room_is_open = 1 ORDER BY room_id LIMIT ?3",
            request.organization,
            request.channel,
            request.limit
        ),
        read_room_id
    );
}

// -- timers ------------------------------------------------------------------------------------------

bool sql_tables::apply_timer(room& due, wall_time now) {
    const std::optional<wall_time> due_at = timer_due_at(due);
    if (!due_at || *due_at > now) {
        arm_timer(due);
        return false;
    }
    change_status(due, status_after_timer(due.status), now);
    return true;
}

result<ops::apply_due_timers::answer> sql_tables::perform(const ops::apply_due_timers& request) {
    const wall_time now = clock_.now();
    // Taken before any is applied: a room that pauses may be due again at once, in the next call.
    const std::vector<room_id> due = collect(
        db_.select(
            "SELECT room_id FROM room_timers WHERE due_at <= ?1 ORDER BY due_at, room_id LIMIT ?2",
            now,
            request.limit
        ),
        read_room_id
    );

    ops::apply_due_timers::answer answer;
    answer.has_more = due.size() == request.limit;
    std::vector<framework_event> notices;
    for (const room_id& id : due) {
        std::optional<room> found = find_room(id);
        if (found && apply_timer(*found, now)) {
            notices.push_back(timer_notice(*found));
            answer.changed.push_back(*std::move(found));
        }
    }
    add_notices(notices, now);
    return answer;
}

}  // namespace convene::sql
