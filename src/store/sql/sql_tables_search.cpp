// SPDX-License-Identifier: Apache-2.0
// The SQL tables: full-text search. Each database keeps its own index of words; what is asked of it is the same.
#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "store/search_words.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// What the index is asked for; any words beyond are looked for in the events it answers.
constexpr std::size_t max_words_in_query = 16;

/// What the index answers at a time: a database may hold all of it for us before we have read the first.
constexpr std::size_t hits_at_once = 100;

bool contains_all(const content& said, std::span<const std::string> words) {
    const std::vector<std::string> text = search_words(readable_text(said));
    return std::ranges::all_of(words, [&](const std::string& word) {
        return std::ranges::find(text, word) != text.end();
    });
}

}  // namespace

void sql_tables::add_to_search(
    const organization_id& organization, std::int64_t seq, const room_event& added
) {
    if (is_searchable(added)) {
        add_words(words_of(organization, seq, added));
    }
}

void sql_tables::remove_from_search(
    const organization_id& organization, const stored_event& removed
) {
    if (is_searchable(removed.event)) {
        remove_words(words_of(organization, removed.seq, removed.event));
    }
}

result<std::vector<room_event>> sql_tables::perform(const ops::search_events& request) {
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
    const std::string scope = request.room ? word_of(*request.room) : word_of(request.organization);
    static const std::string event_at = select_events("WHERE e.seq = ?1");
    std::int64_t below = std::numeric_limits<std::int64_t>::max();
    bool may_be_more = true;
    while (may_be_more && found.size() < request.limit) {
        const std::vector<std::int64_t> hits = collect(
            find_words(scope, asked, below, hits_at_once),
            [](query& row) {
                std::int64_t seq = 0;
                row.read(seq);
                return seq;
            }
        );
        may_be_more = hits.size() == hits_at_once;
        for (const std::int64_t seq : hits) {
            below = seq;
            query event = db_.select(event_at, seq);
            if (!event.next()) {
                continue;
            }
            room_event hit = read_event(event, db_);
            if (others.empty() || contains_all(hit.content, others)) {
                found.push_back(std::move(hit));
            }
            if (found.size() == request.limit) {
                break;
            }
        }
    }
    return found;
}

}  // namespace convene::sql
