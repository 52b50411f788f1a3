// SPDX-License-Identifier: Apache-2.0
// The tables in a SQLite file: words in an FTS5 index, and the layout.
#include "store/sqlite/sqlite_tables.hpp"

#include <string>

#include "store/sqlite/schema.hpp"

namespace convene::sqlite {

namespace {

std::string scope_of(const sql::indexed_words& words) {
    return words.organization + ' ' + words.room;
}

std::string text_of(const sql::indexed_words& words) {
    std::string joined;
    for (const std::string& word : words.words) {
        joined += word;
        joined += ' ';
    }
    return joined;
}

/// Words are letters and digits only, so that quoting them makes any input a valid query.
std::string query_of(const std::string& scope, std::span<const std::string> words) {
    std::string text = "scope : \"" + scope + '"';
    for (const std::string& word : words) {
        text += " AND words : \"" + word + '"';
    }
    return text;
}

}  // namespace

void sqlite_tables::add_words(const sql::indexed_words& words) {
    db_.run(
        "INSERT INTO events_search (rowid, scope, words) VALUES (?1, ?2, ?3)",
        words.seq,
        scope_of(words),
        text_of(words)
    );
}

void sqlite_tables::remove_words(const sql::indexed_words& words) {
    // The index holds no text: it is told again what it was told when the event came.
    db_.run(
        "INSERT INTO events_search (events_search, rowid, scope, words) VALUES ('delete', ?1, ?2,"
        " ?3)",
        words.seq,
        scope_of(words),
        text_of(words)
    );
}

sql::query sqlite_tables::find_words(
    const std::string& scope,
    std::span<const std::string> words,
    std::int64_t below,
    std::size_t limit
) {
    return db_.select(
        "SELECT rowid FROM events_search WHERE events_search MATCH ?1 AND rowid < ?2 ORDER BY rowid"
        " DESC LIMIT ?3",
        query_of(scope, words),
        below,
        limit
    );
}

std::int64_t sqlite_tables::last_notice() {
    return db_
        .value_of<std::int64_t>("SELECT seq FROM sqlite_sequence WHERE name = 'framework_events'")
        .value_or(0);
}

bool sqlite_tables::is_event_index_unique() { return sqlite::is_event_index_unique(connection_); }

void sqlite_tables::make_event_index_unique() { sqlite::make_event_index_unique(connection_); }

sql::duplicate_indexes sqlite_tables::find_duplicate_indexes() {
    return sqlite::find_duplicate_indexes(connection_);
}

std::int32_t sqlite_tables::stored_schema_version() {
    return sqlite::stored_schema_version(connection_);
}

}  // namespace convene::sqlite
