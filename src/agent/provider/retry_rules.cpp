// SPDX-License-Identifier: Apache-2.0
// Back-off with jitter.
#include "agent/provider/retry_rules.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace convene {

namespace {

/// Above any wait that is honoured, and far below what a double holds exactly.
constexpr double most_ms = 1e9;

std::optional<milliseconds> milliseconds_of(std::string_view text, double factor) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(
        text.data(), end, number, std::chars_format::fixed
    );
    if (failure != std::errc{} || stop != end || !(number >= 0)) {
        return std::nullopt;
    }
    return milliseconds{static_cast<std::int64_t>(std::min(number * factor, most_ms))};
}

}  // namespace

std::optional<milliseconds> delay_before_retry(
    const retry_rules& rules,
    std::int32_t made,
    std::optional<milliseconds> retry_after,
    random_source& random
) {
    if (made >= rules.attempts || (retry_after && *retry_after > rules.longest_retry_after)) {
        return std::nullopt;
    }
    milliseconds delay = rules.first_delay;
    for (std::int32_t i = 1; i < made && delay < rules.longest_delay; ++i) {
        delay *= 2;
    }
    delay = std::min(delay, rules.longest_delay);
    const auto half = static_cast<std::uint64_t>(delay.count() / 2);
    delay -= milliseconds{static_cast<std::int64_t>(random.below(half + 1))};
    return std::max(delay, retry_after.value_or(milliseconds{0}));
}

std::optional<milliseconds> retry_after_of(const http_headers& headers) {
    constexpr double ms_of_second = 1000;
    if (const auto exact = headers.find("retry-after-ms")) {
        if (const auto delay = milliseconds_of(*exact, 1)) {
            return delay;
        }
    }
    const auto seconds_text = headers.find("retry-after");
    return seconds_text ? milliseconds_of(*seconds_text, ms_of_second) : std::nullopt;
}

}  // namespace convene
