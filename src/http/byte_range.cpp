// SPDX-License-Identifier: Apache-2.0
// Reads the forms of a range: from a byte to another, from a byte on, the last so many.
#include "http/byte_range.hpp"

#include <algorithm>
#include <charconv>

namespace convene {

namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = failure == std::errc{} && end == text.data() + text.size();
    return is_whole && number >= 0 ? std::optional{number} : std::nullopt;
}

byte_range part(std::int64_t first, std::int64_t last, std::int64_t size) {
    if (first >= size || first > last) {
        return {byte_range::verdict::unsatisfiable};
    }
    return {byte_range::verdict::part, first, std::min(last, size - 1)};
}

}  // namespace

byte_range range_of(std::optional<std::string_view> header, std::int64_t size) {
    constexpr std::string_view unit = "bytes=";
    if (!header || !header->starts_with(unit)) {
        return {};
    }
    const std::string_view wanted = header->substr(unit.size());
    const std::size_t dash = wanted.find('-');
    if (dash == std::string_view::npos) {
        return {};
    }
    const std::string_view from = wanted.substr(0, dash);
    const std::string_view to = wanted.substr(dash + 1);
    const std::optional<std::int64_t> first = number_of(from);
    const std::optional<std::int64_t> last = number_of(to);
    if (first && to.empty()) {
        return part(*first, size - 1, size);
    }
    if (first && last) {
        return *first <= *last ? part(*first, *last, size) : byte_range{};
    }
    if (from.empty() && last) {
        return part(std::max<std::int64_t>(size - *last, 0), size - 1, *last == 0 ? 0 : size);
    }
    return {};
}

}  // namespace convene
