// SPDX-License-Identifier: Apache-2.0
// Positions as text.
#include "live/tail_position.hpp"

#include <charconv>

namespace convene {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stopped != end) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

std::string tail_position::text() const {
    const std::string last = std::to_string(index.value());
    return epoch == 0 ? last : std::to_string(epoch) + '-' + last;
}

std::optional<tail_position> tail_position::parse(std::string_view text) {
    std::int64_t epoch = 0;
    // Not at the front: there it is a sign.
    if (const std::size_t dash = text.find('-', 1); dash != std::string_view::npos) {
        const auto before = parse_number(text.substr(0, dash));
        if (!before || *before < 1) {
            return std::nullopt;
        }
        epoch = *before;
        text.remove_prefix(dash + 1);
    }
    const auto last = parse_number(text);
    if (!last || *last < -1) {
        return std::nullopt;
    }
    return tail_position{epoch, event_index{*last}};
}

}  // namespace convene
