// SPDX-License-Identifier: Apache-2.0
// Indexed words: of what is readable in an event.
#include "store/sql/indexed_words.hpp"

#include <span>

#include "base/hash.hpp"
#include "store/search_words.hpp"

namespace convene::sql {

namespace {

std::string scope_word(char kind, std::string_view id) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(id.data());
    return kind + to_hex(std::span{bytes, id.size()});
}

}  // namespace

bool is_searchable(const room_event& event) noexcept {
    return event.status == event_status::accepted && !event.is_deleted;
}

std::string word_of(const organization_id& organization) {
    return scope_word('o', organization.str());
}

std::string word_of(const room_id& room) { return scope_word('r', room.str()); }

indexed_words words_of(
    const organization_id& organization, std::int64_t seq, const room_event& event
) {
    return {
        seq,
        word_of(organization),
        word_of(event.room),
        search_words(readable_text(event.content)),
    };
}

}  // namespace convene::sql
