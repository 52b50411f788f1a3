// SPDX-License-Identifier: Apache-2.0
// The SQL tables: cursors, delivery rows, orphans, skips and hook marks.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// Stores what a row came to; a row that is final, or that `executor` is given for and does not own, stays as it
/// is (D7, L7).
void store_result(
    session& database,
    const room_id& room,
    const ops::row_result& given,
    const std::optional<incarnation_id>& executor = std::nullopt
) {
    const delivery_outcome& outcome = given.outcome;
    database.run(
        "UPDATE deliveries SET state = ?3, attempts = ?4, provider_message_id = ?5, error_code ="
        " ?6, error_message = ?7, is_retryable = ?8 WHERE room_id = ?1 AND id = ?2 AND state < 3"
        " AND (?9 IS NULL OR committed_by = ?9)",
        room,
        given.id,
        given.state,
        given.attempts,
        outcome.provider_message_id,
        outcome.error_code,
        outcome.error_message,
        outcome.is_retryable,
        executor
    );
}

delivery_cursor read_cursor(query& row) {
    delivery_cursor cursor;
    row.read(cursor.delivered, cursor.claimer, cursor.claim_epoch, cursor.takeovers);
    row.read(cursor.paused_at);
    return cursor;
}

void insert_skip(session& database, const delivery_skip& added, wall_time now) {
    std::vector<std::string> events;
    events.reserve(added.events.size());
    for (const event_id& event : added.events) {
        events.push_back(event.str());
    }
    database.run(
        "INSERT INTO delivery_skips (room_id, from_index, to_index, events, owner, reason,"
        " is_replayed, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        added.room,
        added.from,
        added.to,
        text_of_list(events),
        added.owner,
        added.reason,
        added.is_replayed,
        now
    );
}

delivery_skip read_skip(query& row, session& database) {
    delivery_skip skip;
    std::string events;
    row.read(skip.id, skip.room, skip.from, skip.to, events, skip.owner, skip.reason);
    row.read(skip.is_replayed, skip.created_at);
    for (std::string& event : list_of_text(database, events)) {
        skip.events.emplace_back(std::move(event));
    }
    return skip;
}

}  // namespace

// -- cursors -----------------------------------------------------------------------------------------

sql_tables::following sql_tables::event_after(const room_id& room, event_index index) {
    following next;
    // `state + 0`: the rows of one event are found by their place. By an index of open rows that would be all open rows of the
    // room, or of all rooms, whenever the planner thinks that there are hardly any.
    query found = db_.select(
        "SELECT e.committed_by, (SELECT count(*) FROM deliveries d WHERE d.room_id = ?1 AND"
        " d.\"index\" = e.\"index\" AND d.event_id = e.id AND d.state + 0 < 3) FROM events e"
        " WHERE e.room_id = ?1 AND e.\"index\" > ?2 ORDER BY e.\"index\" LIMIT 1",
        room,
        index
    );
    if (found.next()) {
        incarnation_id committed_by;
        std::int64_t open_rows = 0;
        found.read(committed_by, open_rows);
        next.is_there = true;
        if (open_rows == 0) {
            next.needed = std::move(committed_by);
        }
    }
    return next;
}

void sql_tables::settle_cursor(const room_id& room) {
    const following next = event_after(room, delivered_of(room));
    if (!next.is_there) {
        db_.run(
            "UPDATE room_cursors SET delivered_index = r.latest_index FROM rooms r WHERE room_id ="
            " ?1 AND r.id = ?1 AND delivered_index < r.latest_index",
            room
        );
    }
    db_.run(
        "UPDATE room_cursors SET waits_for = ?2 WHERE room_id = ?1 AND coalesce(waits_for, '') <>"
        " coalesce(?2, '')",
        room,
        next.needed
    );
}

result<delivery_cursor> sql_tables::perform(const ops::get_cursor& request) {
    query rows = db_.select(
        "SELECT delivered_index, claimer, claim_epoch, takeovers, paused_at FROM room_cursors WHERE"
        " room_id = ?1",
        request.room
    );
    if (!rows.next()) {
        return errc::not_found;
    }
    return read_cursor(rows);
}

result<delivery_cursor> sql_tables::perform(const ops::claim_cursor& request) {
    query claimed = db_.select(
        "UPDATE room_cursors SET claim_epoch = claim_epoch + 1, claimer = ?2, takeovers ="
        " coalesce(?4, takeovers) WHERE room_id = ?1 AND claim_epoch = ?3 RETURNING"
        " delivered_index, claimer, claim_epoch, takeovers, paused_at",
        request.room,
        request.claimer,
        request.expected_epoch,
        request.takeovers
    );
    if (!claimed.next()) {
        return errc::claim_lost;
    }
    return read_cursor(claimed);
}

result<std::vector<ops::load_lane::entry>> sql_tables::perform(const ops::load_lane& request) {
    static const std::string events_from = select_events(
        "WHERE e.room_id = ?1 AND e.\"index\" >= ?2 ORDER BY e.\"index\" LIMIT ?3"
    );
    std::vector<ops::load_lane::entry> lane = collect(
        db_.select(events_from, request.room, request.from, request.limit),
        [this](query& row) {
            ops::load_lane::entry entry;
            entry.event = read_event(row, db_);
            return entry;
        }
    );
    if (lane.empty()) {
        return lane;
    }
    static const std::string rows_between = select_deliveries(
        "WHERE room_id = ?1 AND \"index\" >= ?2 AND \"index\" <= ?3 ORDER BY \"index\", id"
    );
    const event_index last = lane.back().event.index;
    for (delivery_row& row :
         collect(db_.select(rows_between, request.room, request.from, last), read_delivery)) {
        const auto of_row = std::ranges::find_if(lane, [&row](const ops::load_lane::entry& entry) {
            return entry.event.id == row.event;
        });
        if (of_row != lane.end()) {
            of_row->rows.push_back(std::move(row));
        }
    }
    for (ops::load_lane::entry& entry : lane) {
        entry.owner_is_gone = have_no_live_owner(entry.rows);
        if (entry.owner_is_gone) {
            entry.format = format_of(entry.event.committed_by);
        }
    }
    return lane;
}

result<ops::finish_set::answer> sql_tables::perform(const ops::finish_set& request) {
    event_index delivered;
    event_index latest;
    std::int64_t epoch = 0;
    {
        query head = db_.select(
            "SELECT c.delivered_index, c.claim_epoch, r.latest_index FROM room_cursors c"
            " CROSS JOIN rooms r ON r.id = c.room_id WHERE c.room_id = ?1",
            request.room
        );
        if (!head.next()) {
            return errc::claim_lost;
        }
        head.read(delivered, epoch, latest);
    }
    if (request.advance_to < request.index || request.advance_to > latest) {
        return errc::invalid_argument;
    }
    if (epoch != request.claim_epoch) {
        return errc::claim_lost;
    }
    if (delivered >= request.advance_to) {
        return ops::finish_set::answer{delivered};
    }
    if (delivered.next() != request.index) {
        return errc::claim_lost;
    }

    const wall_time now = clock_.now();
    for (const ops::row_result& given : request.results) {
        store_result(db_, request.room, given);
    }
    for (const outbound_item& item : request.deferred) {
        queue_outbound(item);
    }
    if (request.skip) {
        insert_skip(db_, *request.skip, now);
    }
    add_notices(request.notices, now);
    const following next = event_after(request.room, request.advance_to);
    delivered = next.is_there ? request.advance_to : latest;
    db_.run(
        "UPDATE room_cursors SET delivered_index = ?2, takeovers = 0, waits_for = ?3 WHERE room_id"
        " = ?1",
        request.room,
        delivered,
        next.needed
    );
    return ops::finish_set::answer{delivered};
}

event_index sql_tables::delivered_of(const room_id& room) {
    return db_
        .value_of<event_index>("SELECT delivered_index FROM room_cursors WHERE room_id = ?1", room)
        .value_or(event_index::none());
}

// -- rows --------------------------------------------------------------------------------------------

std::vector<delivery_row> sql_tables::rows_of(
    const room_id& room, event_index index, const event_id& event
) {
    static const std::string sql = select_deliveries(
        "WHERE room_id = ?1 AND \"index\" = ?2 AND event_id = ?3 ORDER BY id"
    );
    return collect(db_.select(sql, room, index, event), read_delivery);
}

bool sql_tables::have_no_live_owner(const std::vector<delivery_row>& rows) {
    const auto is_open = [](const delivery_row& row) { return !is_final(row.state); };
    const auto is_not_alive = [&](const delivery_row& row) {
        return !is_open(row) || is_gone(row.committed_by);
    };
    return std::ranges::any_of(rows, is_open) && std::ranges::all_of(rows, is_not_alive);
}

std::int32_t sql_tables::format_of_plan(const delivery_row& row) {
    const std::optional<incarnation_id> committer = db_.value_of<incarnation_id>(
        "SELECT committed_by FROM events WHERE room_id = ?1 AND \"index\" = ?2 AND id = ?3",
        row.room,
        row.index,
        row.event
    );
    return committer ? format_of(*committer) : 0;
}

result<std::monostate> sql_tables::perform(const ops::put_results& request) {
    for (const ops::row_result& given : request.results) {
        store_result(db_, request.room, given, request.executor);
    }
    settle_cursor(request.room);
    add_notices(request.notices, clock_.now());
    return std::monostate{};
}

result<std::vector<delivery_row>> sql_tables::perform(const ops::adopt_rows& request) {
    // Open rows are few; the room's history is not.
    static const std::string open_rows = select_deliveries(
        "INDEXED BY deliveries_open WHERE room_id = ?1 AND state < 3 AND \"index\" <= ?2"
    );
    std::vector<delivery_row> adopted = collect(
        db_.select(open_rows, request.room, request.through), read_delivery
    );
    // Its own are answered as well: an adoption whose answer was lost is asked for again.
    const auto is_own = [&](const delivery_row& row) {
        return row.committed_by == request.new_owner;
    };
    std::erase_if(adopted, [&](const delivery_row& row) {
        const bool may_have = is_own(row) || is_gone(row.committed_by);
        return !may_have || format_of_plan(row) > request.newest_format;
    });
    std::ranges::sort(adopted, {}, [](const delivery_row& row) {
        return std::tie(row.index, row.id);
    });
    for (delivery_row& row : adopted) {
        if (is_own(row)) {
            continue;
        }
        row.committed_by = request.new_owner;
        db_.run(
            "UPDATE deliveries SET committed_by = ?4 WHERE room_id = ?1 AND \"index\" = ?2 AND id"
            " = ?3",
            row.room,
            row.index,
            row.id,
            row.committed_by
        );
    }
    return adopted;
}

result<std::int64_t> sql_tables::perform(const ops::release_rows& request) {
    return db_.run(
        "UPDATE deliveries INDEXED BY deliveries_owned SET committed_by = ''"
        " WHERE committed_by = ?1 AND state < 3",
        request.owner
    );
}

result<std::vector<delivery_row>> sql_tables::perform(const ops::list_deliveries& request) {
    const std::optional<event_index> index = db_.value_of<event_index>(
        "SELECT \"index\" FROM events WHERE id = ?2 AND room_id = ?1"
        " UNION ALL SELECT \"index\" FROM deleted_events WHERE event_id = ?2 AND room_id = ?1",
        request.room,
        request.event
    );
    return index ? rows_of(request.room, *index, request.event) : std::vector<delivery_row>{};
}

// -- orphans -----------------------------------------------------------------------------------------

std::vector<incarnation_id> sql_tables::gone_owners(std::string_view next_owner) {
    // One step for each owner, however many rows it has.
    std::vector<incarnation_id> gone;
    std::optional<incarnation_id> owner = db_.value_of<incarnation_id>(next_owner, "");
    while (owner) {
        if (is_gone(*owner)) {
            gone.push_back(*owner);
        }
        owner = db_.value_of<incarnation_id>(next_owner, *owner);
    }
    return gone;
}

std::vector<room_id> sql_tables::rooms_waiting_for(
    std::string_view next_room, const incarnation_id& owner, const ops::find_orphaned_rooms& page
) {
    // One step for each room, however many rows it has.
    std::vector<room_id> rooms;
    std::optional<room_id> room = db_.value_of<room_id>(next_room, owner, page.after);
    while (room && rooms.size() < page.limit) {
        rooms.push_back(*room);
        room = db_.value_of<room_id>(next_room, owner, *room);
    }
    return rooms;
}

result<std::vector<ops::find_orphaned_rooms::item>> sql_tables::perform(
    const ops::find_orphaned_rooms& request
) {
    constexpr std::string_view next_owner_of_rows =
        "SELECT committed_by FROM deliveries INDEXED BY deliveries_owned"
        " WHERE state < 3 AND committed_by > ?1 ORDER BY committed_by LIMIT 1";
    constexpr std::string_view next_room_with_rows =
        "SELECT room_id FROM deliveries INDEXED BY deliveries_owned"
        " WHERE state < 3 AND committed_by = ?1 AND room_id > ?2 ORDER BY room_id LIMIT 1";
    constexpr std::string_view next_owner_of_cursors =
        "SELECT waits_for FROM room_cursors WHERE waits_for > ?1 ORDER BY waits_for LIMIT 1";
    constexpr std::string_view next_room_of_cursor =
        "SELECT room_id FROM room_cursors WHERE waits_for = ?1 AND room_id > ?2"
        " ORDER BY room_id LIMIT 1";

    // The first `limit` of each kind hold the first `limit` of all. What was handed over has no owner.
    std::set<room_id> orphaned;
    const auto add = [&orphaned](const std::vector<room_id>& rooms) {
        orphaned.insert(rooms.begin(), rooms.end());
    };
    add(rooms_waiting_for(next_room_with_rows, incarnation_id{}, request));
    if (request.also_of) {
        add(rooms_waiting_for(next_room_with_rows, *request.also_of, request));
        add(rooms_waiting_for(next_room_of_cursor, *request.also_of, request));
    }
    for (const incarnation_id& owner : gone_owners(next_owner_of_rows)) {
        add(rooms_waiting_for(next_room_with_rows, owner, request));
    }
    for (const incarnation_id& owner : gone_owners(next_owner_of_cursors)) {
        add(rooms_waiting_for(next_room_of_cursor, owner, request));
    }

    std::vector<ops::find_orphaned_rooms::item> found;
    for (const room_id& id : orphaned) {
        if (found.size() == request.limit) {
            break;
        }
        const std::optional<organization_id> organization = db_.value_of<organization_id>(
            "SELECT organization_id FROM rooms WHERE id = ?1", id
        );
        found.push_back({organization.value_or(organization_id{}), id});
    }
    return found;
}

// -- skips -------------------------------------------------------------------------------------------

result<std::vector<delivery_skip>> sql_tables::perform(const ops::list_skips& request) {
    constexpr std::string_view of_all =
        "SELECT id, room_id, from_index, to_index, events, owner, reason, is_replayed, created_at"
        " FROM delivery_skips WHERE id > ?1 ORDER BY id LIMIT ?2";
    constexpr std::string_view of_room =
        "SELECT id, room_id, from_index, to_index, events, owner, reason, is_replayed, created_at"
        " FROM delivery_skips WHERE id > ?1 AND room_id = ?3 ORDER BY id LIMIT ?2";
    return collect(
        db_.select(request.room ? of_room : of_all, request.after, request.limit, request.room),
        [this](query& row) { return read_skip(row, db_); }
    );
}

// -- hook marks --------------------------------------------------------------------------------------

result<std::int32_t> sql_tables::perform(const ops::mark_hook& request) {
    return db_
        .value_of<std::int32_t>(
            "INSERT INTO hook_marks (hook_id, event_key, runs) VALUES (?1, ?2, 1)"
            " ON CONFLICT (hook_id, event_key) DO UPDATE SET runs = hook_marks.runs + 1 RETURNING"
            " runs",
            request.hook,
            request.event_key
        )
        .value_or(0);
}

result<std::monostate> sql_tables::perform(const ops::clear_hook_mark& request) {
    db_.run(
        "DELETE FROM hook_marks WHERE hook_id = ?1 AND event_key = ?2",
        request.hook,
        request.event_key
    );
    return std::monostate{};
}

}  // namespace convene::sql
