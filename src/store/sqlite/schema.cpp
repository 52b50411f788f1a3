// SPDX-License-Identifier: Apache-2.0
// Recognises files by application id and by the checksums of the steps that made them, and takes missing steps.
#include "store/sqlite/schema.hpp"

#include <string>
#include <vector>

#include "base/log.hpp"

namespace convene::sqlite {

namespace {

// "Cnvn", in the header of every file of ours. Frozen.
constexpr std::int64_t application_id = 0x436E766E;

/// Without tables, and not marked by another program.
bool is_empty(connection& database) {
    return database.value_of<bool>(
               "SELECT (SELECT count(*) FROM sqlite_schema) = 0 AND application_id IN (0, ?1)"
               " FROM pragma_application_id",
               application_id
           ) == true;
}

/// Ends a transaction by what became of its statements.
result<> end_transaction(connection& database) {
    database.run("COMMIT");
    if (database.failure()) {
        database.roll_back();
        return database.failure();
    }
    return {};
}

}  // namespace

// -- versions ----------------------------------------------------------------------------------------

result<layout> inspect_layout(connection& database) {
    database.forget_failure();
    std::vector<sql::taken_step> taken;
    bool is_marked = true;
    {
        query steps = database.select(
            "SELECT m.version, m.checksum, a.application_id FROM schema_migrations m"
            " CROSS JOIN pragma_application_id a ORDER BY m.version"
        );
        while (steps.next()) {
            sql::taken_step& step = taken.emplace_back();
            std::int64_t mark = 0;
            steps.read(step.version, step.checksum, mark);
            is_marked = is_marked && mark == application_id;
        }
    }
    const error_code failure = database.failure();
    if (!failure && !taken.empty()) {
        if (!is_marked) {
            return errc::schema_unknown;
        }
        const result<std::size_t> count = sql::count_taken(known_migrations(), taken);
        if (!count) {
            return count.error();
        }
        return *count == known_migrations().size() ? layout::current : layout::outdated;
    }
    // No steps on record: a new file, or one that is not ours.
    database.forget_failure();
    const bool is_new = is_empty(database);
    if (database.failure()) {
        return database.failure();
    }
    if (is_new) {
        return layout::empty;
    }
    return failure ? failure : error_code{errc::schema_unknown};
}

result<> migrate(connection& database, const wall_clock& clock) {
    database.forget_failure();
    const std::int32_t stored = stored_schema_version(database);
    database.forget_failure();
    database.run("BEGIN IMMEDIATE");
    database.run_script("PRAGMA application_id = " + std::to_string(application_id));
    database.run_script(
        "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT"
        " NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT"
    );
    for (const sql::migration& step :
         known_migrations().subspan(static_cast<std::size_t>(stored))) {
        database.run_script(std::string{step.sql});
        database.run(
            "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2,"
            " ?3, ?4)",
            step.version,
            step.name,
            sql::checksum_of(step),
            clock.now()
        );
    }
    return end_transaction(database);
}

std::int32_t stored_schema_version(connection& database) {
    const std::optional<std::int32_t> version = database.value_of<std::int32_t>(
        "SELECT max(version) FROM schema_migrations"
    );
    return version.value_or(0);
}

// -- the index on (room, index) ----------------------------------------------------------------------

bool is_event_index_unique(connection& database) {
    return database.exists(
        "SELECT 1 FROM pragma_index_list('events') WHERE name = 'idx_events_room_index' AND"
        " \"unique\" = 1"
    );
}

sql::duplicate_indexes find_duplicate_indexes(connection& database) {
    sql::duplicate_indexes found;
    query sums = database.select(
        "SELECT coalesce(sum(surplus), 0), count(*) FROM (SELECT count(*) - count(DISTINCT"
        " \"index\") AS surplus FROM events GROUP BY room_id HAVING surplus > 0)"
    );
    if (sums.next()) {
        sums.read(found.rows, found.rooms);
    }
    return found;
}

void make_event_index_unique(connection& database) {
    database.run_script(
        "DROP INDEX IF EXISTS idx_events_room_index;"
        "CREATE UNIQUE INDEX idx_events_room_index ON events (room_id, \"index\")"
    );
}

result<> settle_event_index(connection& database) {
    database.forget_failure();
    if (is_event_index_unique(database)) {
        return {};
    }
    database.run("BEGIN IMMEDIATE");
    database.run_script(
        "CREATE INDEX IF NOT EXISTS idx_events_room_index ON events (room_id, \"index\")"
    );
    const sql::duplicate_indexes duplicates = find_duplicate_indexes(database);
    if (duplicates.rows == 0) {
        make_event_index_unique(database);
    } else {
        log(log_level::warn,
            "event_index_not_unique",
            {{"message", sql::index_not_unique_warning},
             {"duplicate_rows", duplicates.rows},
             {"affected_rooms", duplicates.rooms}});
    }
    return end_transaction(database);
}

}  // namespace convene::sqlite
