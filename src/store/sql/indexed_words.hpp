// SPDX-License-Identifier: Apache-2.0
// What the index of words holds of an event.
#pragma once

#include "convene/event.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::sql {

struct indexed_words {
    std::int64_t seq = 0;      ///< the event's row
    std::string organization;  ///< as one word of letters and digits, as is the room
    std::string room;
    std::vector<std::string> words;
};

/// Whether an event can be found by its words.
[[nodiscard]] bool is_searchable(const room_event& event) noexcept;

[[nodiscard]] indexed_words words_of(
    const organization_id& organization, std::int64_t seq, const room_event& event
);

/// An organisation's or a room's id as one word of letters and digits, whatever it is made of.
[[nodiscard]] std::string word_of(const organization_id& organization);
[[nodiscard]] std::string word_of(const room_id& room);

}  // namespace convene::sql
