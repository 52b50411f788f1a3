// SPDX-License-Identifier: Apache-2.0
// Retry pace: doubling with jitter.
#include "app/remote/retry_pace.hpp"

#include <algorithm>
#include <cstdint>

namespace convene {

namespace {

constexpr milliseconds first_wait{100};
constexpr milliseconds longest_wait{2'000};
constexpr int most_doublings = 10;  ///< far beyond the longest wait

}  // namespace

void retry_pace::succeeded() noexcept {
    first_failure_.reset();
    failures_ = 0;
}

std::optional<milliseconds> retry_pace::failed(
    monotonic_time now, milliseconds at_least, random_source& random
) {
    if (!first_failure_) {
        first_failure_ = now;
    }
    const milliseconds limit = std::min(
        first_wait * (1 << std::min(failures_, most_doublings)), longest_wait
    );
    ++failures_;
    const auto half = static_cast<std::uint64_t>(limit.count() / 2);
    const milliseconds drawn{limit.count() / 2 + static_cast<std::int64_t>(random.below(half + 1))};
    const milliseconds wait = std::max(drawn, at_least);
    if (now + wait > *first_failure_ + patience_) {
        return std::nullopt;
    }
    return wait;
}

}  // namespace convene
