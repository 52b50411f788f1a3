// SPDX-License-Identifier: Apache-2.0
// The SQL tables: repairing rooms in which several events have one index.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// The events of one room in their new order: the place in the list is the new index.
class renumbering {
   public:
    renumbering(session& database, const room_id& room) : room_(room) {
        query events = database.select(
            "SELECT seq, \"index\", id FROM events INDEXED BY idx_events_room_index WHERE room_id"
            " = ?1 ORDER BY \"index\", created_at, id",
            room
        );
        while (events.next()) {
            event& next = events_.emplace_back();
            events.read(next.seq, next.old_index, next.id);
        }
    }

    /// What was behind `mark` stays behind it: the highest new index among the events up to it.
    [[nodiscard]] event_index moved(event_index mark) const {
        const auto behind = std::ranges::upper_bound(events_, mark, {}, &event::old_index);
        return event_index{(behind - events_.begin()) - 1};
    }

    void move_events(session& database) const {
        std::int64_t index = 0;
        for (const event& renumbered : events_) {
            if (renumbered.old_index.value() != index) {
                database.run(
                    "UPDATE events SET \"index\" = ?2 WHERE seq = ?1", renumbered.seq, index
                );
            }
            ++index;
        }
        database.run("DELETE FROM deleted_events WHERE room_id = ?1", room_);
    }

    void move_counters(session& database) const {
        database.run(
            "UPDATE rooms SET event_count = ?2, next_index = ?2, latest_index = ?2 - 1,"
            " timeline_epoch = timeline_epoch + 1 WHERE id = ?1",
            room_,
            events_.size()
        );
    }

    /// Rows and waiting items go with their event; the rows of events that are gone are history.
    void move_deliveries(session& database) const {
        const std::unordered_map<std::string_view, std::int64_t> indexes = indexes_by_id();
        for (const row_place& row : rows_of(database)) {
            if (const auto index = indexes.find(row.of_event.str()); index != indexes.end()) {
                database.run(
                    "UPDATE deliveries SET \"index\" = ?4 WHERE room_id = ?1 AND \"index\" = ?2"
                    " AND id = ?3",
                    room_,
                    row.index,
                    row.id,
                    index->second
                );
            } else {
                database.run(
                    "DELETE FROM deliveries WHERE room_id = ?1 AND \"index\" = ?2 AND id = ?3",
                    room_,
                    row.index,
                    row.id
                );
            }
        }
        database.run(
            "UPDATE outbound_queue SET \"index\" = coalesce((SELECT e.\"index\" FROM events e"
            " WHERE e.id = outbound_queue.event_id), \"index\") WHERE room_id = ?1",
            room_
        );
    }

    void move_cursor(session& database) const {
        const std::optional<event_index> delivered = database.value_of<event_index>(
            "SELECT delivered_index FROM room_cursors WHERE room_id = ?1", room_
        );
        database.run(
            "UPDATE room_cursors SET delivered_index = ?2 WHERE room_id = ?1",
            room_,
            moved(delivered.value_or(event_index::none()))
        );
    }

    void move_markers(session& database) const {
        const std::vector<ops::read_marker> markers = collect(
            database.select(
                "SELECT thread, reader, event_index FROM read_markers WHERE room_id = ?1", room_
            ),
            [](query& row) {
                ops::read_marker marker;
                row.read(marker.thread, marker.reader, marker.index);
                return marker;
            }
        );
        for (const ops::read_marker& old : markers) {
            database.run(
                "UPDATE read_markers SET event_index = ?4 WHERE room_id = ?1 AND thread = ?2 AND"
                " reader = ?3",
                room_,
                old.thread,
                old.reader,
                moved(old.index)
            );
        }
    }

   private:
    struct event {
        std::int64_t seq = 0;
        event_index old_index;
        event_id id;
    };

    struct row_place {
        event_index index;
        delivery_id id;
        event_id of_event;
    };

    [[nodiscard]] std::vector<row_place> rows_of(session& database) const {
        return collect(
            database.select(
                "SELECT \"index\", id, event_id FROM deliveries WHERE room_id = ?1", room_
            ),
            [](query& row) {
                row_place place;
                row.read(place.index, place.id, place.of_event);
                return place;
            }
        );
    }

    [[nodiscard]] std::unordered_map<std::string_view, std::int64_t> indexes_by_id() const {
        std::unordered_map<std::string_view, std::int64_t> indexes;
        for (const event& renumbered : events_) {
            indexes.emplace(renumbered.id.str(), static_cast<std::int64_t>(indexes.size()));
        }
        return indexes;
    }

    const room_id& room_;
    std::vector<event> events_;
};

std::vector<room_id> rooms_with_duplicates(session& database) {
    return collect(
        database.select("SELECT room_id FROM events GROUP BY room_id HAVING count(*) > "
                        "count(DISTINCT \"index\")"),
        [](query& row) {
            room_id room;
            row.read(room);
            return room;
        }
    );
}

/// Rooms without duplicates whose counters lag behind their events would refuse their next commit.
void raise_lagging_counters(session& database) {
    database.run(
        "UPDATE rooms SET latest_index = t.latest, next_index = t.latest + 1,"
        " event_count = CASE WHEN event_count > t.latest THEN event_count ELSE t.latest + 1 END"
        " FROM (SELECT room_id, max(\"index\") AS latest FROM events GROUP BY room_id) t"
        " WHERE t.room_id = rooms.id AND t.latest >= rooms.next_index"
    );
}

}  // namespace

result<ops::dedupe_event_indices::answer> sql_tables::perform(
    const ops::dedupe_event_indices& request
) {
    if (!request.dry_run) {
        keep_writers_out();
    }
    const std::string nothing_done = request.dry_run ? "dry_run" : "noop";
    if (is_event_index_unique()) {
        return ops::dedupe_event_indices::answer{nothing_done, 0, 0, true};
    }
    const duplicate_indexes duplicates = find_duplicate_indexes();
    if (request.dry_run) {
        return ops::dedupe_event_indices::answer{
            nothing_done, duplicates.rows, duplicates.rooms, false
        };
    }
    for (const room_id& room : rooms_with_duplicates(db_)) {
        const renumbering renumbered{db_, room};
        renumbered.move_events(db_);
        renumbered.move_counters(db_);
        renumbered.move_deliveries(db_);
        renumbered.move_cursor(db_);
        renumbered.move_markers(db_);
        settle_cursor(room);
    }
    raise_lagging_counters(db_);
    make_event_index_unique();
    return ops::dedupe_event_indices::answer{"repaired", duplicates.rows, duplicates.rooms, true};
}

}  // namespace convene::sql
