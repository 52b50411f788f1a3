// SPDX-License-Identifier: Apache-2.0
// The SQLite tables: full-text search and its index.
#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/hash.hpp"
#include "store/search_words.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite_tables.hpp"

namespace convene::sqlite {

namespace {

/// What the index is asked for; any words beyond are looked for in the events it answers.
constexpr std::size_t max_words_in_query = 16;

bool is_shown(const room_event& event) {
    return event.status == event_status::accepted && !event.is_deleted;
}

/// An id as one word of letters and digits, whatever it is made of.
std::string scope_word(char kind, std::string_view id) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(id.data());
    return kind + to_hex(std::span{bytes, id.size()});
}

std::string scope_of(const organization_id& organization, const room_id& room) {
    return scope_word('o', organization.str()) + ' ' + scope_word('r', room.str());
}

std::string words_of(const content& said) {
    std::string joined;
    for (const std::string& word : search_words(readable_text(said))) {
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

bool contains_all(const content& said, std::span<const std::string> words) {
    const std::vector<std::string> text = search_words(readable_text(said));
    return std::ranges::all_of(words, [&](const std::string& word) {
        return std::ranges::find(text, word) != text.end();
    });
}

}  // namespace

void sqlite_tables::add_to_search(
    const organization_id& organization, std::int64_t seq, const room_event& added
) {
    if (is_shown(added)) {
        db_.run(
            "INSERT INTO events_search (rowid, scope, words) VALUES (?1, ?2, ?3)",
            seq,
            scope_of(organization, added.room),
            words_of(added.content)
        );
    }
}

void sqlite_tables::remove_from_search(
    const organization_id& organization, const stored_event& removed
) {
    // The index holds no text: it is told again what it was told when the event came.
    if (is_shown(removed.event)) {
        db_.run(
            "INSERT INTO events_search (events_search, rowid, scope, words) VALUES ('delete', ?1,"
            " ?2, ?3)",
            removed.seq,
            scope_of(organization, removed.event.room),
            words_of(removed.event.content)
        );
    }
}

result<std::vector<room_event>> sqlite_tables::perform(const ops::search_events& request) {
    std::vector<room_event> found;
    const std::vector<std::string> all = search_words(request.words);
    const std::set<std::string> distinct(all.begin(), all.end());
    const std::vector<std::string> words(distinct.begin(), distinct.end());
    const bool is_elsewhere = request.room && !has_room(request.organization, *request.room);
    if (words.empty() || is_elsewhere) {
        return found;
    }
    const std::span asked = std::span{words}.first(std::min(words.size(), max_words_in_query));
    const std::span others = std::span{words}.subspan(asked.size());
    const std::string scope = request.room ? scope_word('r', request.room->str())
                                           : scope_word('o', request.organization.str());
    static const std::string event_at = select_events("WHERE e.seq = ?1");
    query hits = db_.select(
        "SELECT rowid FROM events_search WHERE events_search MATCH ?1 ORDER BY rowid DESC",
        query_of(scope, asked)
    );
    while (found.size() < request.limit && hits.next()) {
        std::int64_t seq = 0;
        hits.read(seq);
        query event = db_.select(event_at, seq);
        if (!event.next()) {
            continue;
        }
        room_event hit = read_event(event, db_);
        if (others.empty() || contains_all(hit.content, others)) {
            found.push_back(std::move(hit));
        }
    }
    return found;
}

}  // namespace convene::sqlite
