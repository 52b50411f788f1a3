// SPDX-License-Identifier: Apache-2.0
// Suggestions: Levenshtein's distance.
#include "base/config/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace convene {

namespace {

/// How many characters must be inserted, removed or exchanged to turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    // `row[i]` is the distance between what was seen of `to` and the first i characters of `from`.
    std::vector<std::size_t> row(from.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char wanted : to) {
        std::size_t diagonal = row[0]++;
        for (std::size_t i = 1; i < row.size(); ++i) {
            const std::size_t exchanged = diagonal + (from[i - 1] == wanted ? 0U : 1U);
            diagonal = row[i];
            row[i] = std::min({exchanged, row[i] + 1, row[i - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest_word(
    std::string_view typed, std::span<const std::string> known
) {
    constexpr std::size_t max_length = 64;
    if (typed.size() > max_length) {
        return std::nullopt;
    }
    // A third of the characters wrong is still the same word; more is another.
    const std::size_t max_distance = std::max<std::size_t>(2, typed.size() / 3);
    std::size_t best = max_distance + 1;
    std::optional<std::string> nearest;
    for (const std::string& word : known) {
        const std::size_t distance = edit_distance(typed, word);
        if (distance < best) {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

}  // namespace convene
