// SPDX-License-Identifier: Apache-2.0
// The tables in a PostgreSQL database: words in an array with a GIN index, and the layout.
#include "store/postgres/postgres_tables.hpp"

#include "convene/lease.hpp"

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
    const std::string& scope, std::span<const std::string> words
) {
    return db_.select(
        "SELECT seq FROM event_words WHERE words @> (?1)::text[] ORDER BY seq DESC",
        array_of(words, scope)
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
