// SPDX-License-Identifier: Apache-2.0
// The tables in a PostgreSQL database: words in an array with a GIN index, and the layout.
#include "store/postgres/postgres_tables.hpp"

#include "convene/lease.hpp"

#include <set>

#include "postgres/arrays.hpp"
#include "store/postgres/schema.hpp"

namespace convene::postgres {

namespace {

std::string array_of(std::span<const std::string> words, const std::string& scope) {
    array_text list;
    list.add(scope);
    for (const std::string& word : words) {
        list.add(word);
    }
    return list.text();
}

}  // namespace

std::string array_of_words(const sql::indexed_words& words) {
    array_text list;
    list.add(words.organization);
    for (const std::string& word : words.words) {
        list.add(word);
    }
    list.add(words.room);
    return list.text();
}

std::int64_t order_of_notices() {
    return lease_name{lease_kind::leader, organization_id{}, "framework-events"}.key();
}

wall_time session_clock::now() const {
    if (replacement_ != nullptr) {
        return replacement_->now();
    }
    if (!at_) {
        at_ = database_.value_of<wall_time>("SELECT (extract(epoch from now()) * 1000000)::bigint");
    }
    return at_.value_or(wall_time{});
}

void postgres_tables::add_words(const sql::indexed_words& words) {
    db_.run(
        "INSERT INTO event_words (seq, words) VALUES (?1, (?2)::text[])",
        words.seq,
        array_of_words(words)
    );
}

void postgres_tables::remove_words(const sql::indexed_words& words) {
    db_.run("DELETE FROM event_words WHERE seq = ?1", words.seq);
}

sql::query postgres_tables::find_words(
    const std::string& scope,
    std::span<const std::string> words,
    std::int64_t below,
    std::size_t limit
) {
    // Apart from the limit: with it the planner would walk over all events from the newest on, for words that are rare.
    return db_.select(
        "WITH hits AS MATERIALIZED (SELECT seq FROM event_words WHERE words @> (?1)::text[])"
        " SELECT seq FROM hits WHERE seq < ?2 ORDER BY seq DESC LIMIT ?3",
        array_of(words, scope),
        below,
        limit
    );
}

void postgres_tables::keep_writers_out() {
    // Before the first look at the tables: a serializable transaction reads what is there when it first looks.
    session_.run_script("LOCK TABLE rooms, events IN SHARE ROW EXCLUSIVE MODE");
}

bool postgres_tables::is_event_index_unique() { return postgres::is_event_index_unique(session_); }

void postgres_tables::make_event_index_unique() { postgres::make_event_index_unique(session_); }

sql::duplicate_indexes postgres_tables::find_duplicate_indexes() {
    return postgres::find_duplicate_indexes(session_);
}

std::int32_t postgres_tables::stored_schema_version() {
    return postgres::stored_schema_version(session_);
}

void postgres_tables::commit_notices_in_order() {
    db_.run("SELECT pg_advisory_xact_lock(?1)", order_of_notices());
}

std::vector<run_id> postgres_tables::add_frames(const ops::append_frames& request) {
    column_arrays runs{5};
    column_arrays frames{3};
    std::set<run_id> asked;
    for (const ops::append_frames::of_run& given : request.runs) {
        if (!asked.insert(given.run).second) {
            // Twice the same stream: one piece is to follow the other.
            return sql_tables::add_frames(request);
        }
        const std::int64_t first = given.frames.empty() ? 0 : given.frames.front().number;
        if (!are_next_frames(given.frames, first)) {
            continue;
        }
        runs.add(given.run, given.room, given.epoch, first, given.frames.size());
        for (const run_frame& frame : given.frames) {
            frames.add(given.run, frame.number, frame.data);
        }
    }
    sql::query rows = db_.select(
        "WITH given AS (SELECT * FROM unnest((?1)::text[], (?2)::text[], (?3)::bigint[],"
        " (?4)::bigint[], (?5)::bigint[]) AS g(run_id, room_id, epoch, first, frames)),"
        " moved AS (UPDATE runs r SET next_frame = CASE WHEN g.frames = 0 THEN"
        " r.next_frame ELSE greatest(r.next_frame, g.first + g.frames) END FROM given g WHERE r.id"
        " = g.run_id AND r.room_id = g.room_id AND r.epoch = g.epoch AND r.status = 1 AND (g.frames"
        " = 0 OR r.next_frame >= g.first) RETURNING r.id), stored AS (INSERT INTO run_frames "
        "(run_id,"
        " number, data) SELECT f.run_id, f.number, f.data FROM unnest((?6)::text[], (?7)::bigint[],"
        " (?8)::text[]) AS f(run_id, number, data) JOIN moved m ON m.id = f.run_id ON CONFLICT "
        "(run_id, number) DO"
        " NOTHING) SELECT id FROM moved",
        runs.text_of(0),
        runs.text_of(1),
        runs.text_of(2),
        runs.text_of(3),
        runs.text_of(4),
        frames.text_of(0),
        frames.text_of(1),
        frames.text_of(2)
    );
    while (rows.next()) {
        run_id stored;
        rows.read(stored);
        asked.erase(stored);
    }
    std::vector<run_id> left_out;
    for (const ops::append_frames::of_run& given : request.runs) {
        if (asked.contains(given.run)) {
            left_out.push_back(given.run);
        }
    }
    return left_out;
}

std::int64_t postgres_tables::last_notice() {
    // Under the lock, since a sequence also counts what is not committed yet.
    commit_notices_in_order();
    return db_
        .value_of<std::int64_t>(
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM"
            " framework_events_sequence_seq"
        )
        .value_or(0);
}

}  // namespace convene::postgres
