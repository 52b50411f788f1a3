// SPDX-License-Identifier: Apache-2.0
// How the larger values lie in the tables: column lists, and reading and writing them in that order.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/session.hpp"
#include "store/access_values.hpp"

namespace convene::sql {

// `SELECT` texts up to and including `FROM`; a condition follows. Each has a `read_...` for its columns.

/// The room with its cursor and metadata; the room is `r`.
[[nodiscard]] std::string select_rooms(std::string_view condition);
[[nodiscard]] room read_room(query& row);

[[nodiscard]] std::string select_bindings(std::string_view condition);
[[nodiscard]] binding read_binding(query& row, session& database);

[[nodiscard]] std::string select_participants(std::string_view condition);
[[nodiscard]] participant read_participant(query& row);

/// An event and its row: its place among all commits of the store.
struct stored_event {
    std::int64_t seq = 0;
    room_event event;
};

/// The event is `e`. A value that can't be decoded fails the session with `corrupt_data`.
[[nodiscard]] std::string select_events(std::string_view condition);
[[nodiscard]] room_event read_event(query& row, session& database);
[[nodiscard]] stored_event read_stored_event(query& row, session& database);

[[nodiscard]] std::string select_deliveries(std::string_view condition);
[[nodiscard]] delivery_row read_delivery(query& row);

[[nodiscard]] std::string select_notices(std::string_view condition);
[[nodiscard]] framework_event read_notice(query& row);

void insert_room(session& database, const room& added);
void put_binding(session& database, const room& owner, const binding& added);
void put_participant(session& database, const participant& added);
void insert_delivery(session& database, const delivery_row& added);

// What the store stamps with its own time.
/// Answers the row's place; unset if its id or key is known, or its index is taken.
[[nodiscard]] std::optional<std::int64_t> insert_event(
    session& database, const room_event& added, wall_time now
);
void insert_task(session& database, const room_task& added, wall_time now);
void insert_observation(session& database, const observation& added, wall_time now);
void insert_notice(session& database, const framework_event& added, wall_time now);

/// Answers the sequence it got.
std::int64_t insert_audit(session& database, const audit_entry& added, wall_time now);
void insert_audit(session& database, const std::optional<audit_entry>& added, wall_time now);

/// The text of an insert that replaces the row with the same key. The parameters are those of the columns, in their
/// order.
[[nodiscard]] std::string upsert(
    std::string_view table, std::string_view key, const std::vector<std::string_view>& columns
);

/// A JSON array of strings, and back. *Errors* (latched): `corrupt_data`.
[[nodiscard]] std::string text_of_list(const std::vector<std::string>& values);
[[nodiscard]] std::vector<std::string> list_of_text(session& database, std::string_view text);

/// All rows of a query, read one by one.
template <class Read>
[[nodiscard]] auto collect(query rows, Read read) {
    std::vector<decltype(read(rows))> found;
    while (rows.next()) {
        found.push_back(read(rows));
    }
    return found;
}

}  // namespace convene::sql
