// SPDX-License-Identifier: Apache-2.0
// Words of enumerations as schemas, read from `word_of` so that the two can't differ.
#pragma once

#include "convene/event.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

/// The enumeration's words, from `first` on. *Requires*: as `enumerator_of`.
template <class Enum>
[[nodiscard]] schema words_of(std::string name, Enum first) {
    using number = std::underlying_type_t<Enum>;
    std::vector<std::string> words;
    for (auto n = static_cast<number>(first);; ++n) {
        const std::string_view word = word_of(static_cast<Enum>(n));
        if (word.empty()) {
            return schema::word(std::move(name), std::move(words));
        }
        words.emplace_back(word);
    }
}

/// A time, or `null` where it never came to be.
void write_time(json_writer& out, const std::optional<wall_time>& when);
void write_time(json_writer& out, wall_time when);

}  // namespace convene
