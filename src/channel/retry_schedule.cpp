// SPDX-License-Identifier: Apache-2.0
// Retry schedule: exponential growth, jitter, and the provider's wish.
#include "channel/retry_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace convene {

namespace {

constexpr milliseconds no_delay{0};
constexpr milliseconds longest_delay = std::chrono::hours{24};

/// Without jitter. A policy may hold anything: nothing here overflows, and no delay shrinks.
milliseconds grown_delay(const retry_policy& policy, std::int32_t attempts, milliseconds longest) {
    if (policy.base_delay <= no_delay) {
        return no_delay;
    }
    const double factor = policy.factor > 1.0 ? policy.factor : 1.0;
    const double grown = static_cast<double>(policy.base_delay.count()) *
                         std::pow(factor, attempts - 1);
    const double bounded = std::min(grown, static_cast<double>(longest.count()));
    return milliseconds{std::llround(bounded)};
}

/// Uniform in [0.8, 1.2].
double jitter(random_source& random) {
    constexpr std::uint64_t steps = 4000;
    return 0.8 + static_cast<double>(random.below(steps + 1)) / 10'000.0;
}

}  // namespace

std::optional<std::chrono::milliseconds> delay_before_retry(
    const retry_policy& policy,
    std::int32_t attempts,
    const send_result& failure,
    random_source& random
) {
    if (!failure.outcome.is_retryable || attempts > policy.max_retries) {
        return std::nullopt;
    }
    const milliseconds longest = std::clamp(policy.max_delay, no_delay, longest_delay);
    const double delay = static_cast<double>(grown_delay(policy, attempts, longest).count()) *
                         jitter(random);
    const milliseconds own = std::min(milliseconds{std::llround(delay)}, longest);
    const milliseconds wish = std::min(failure.retry_after.value_or(no_delay), longest_delay);
    return std::max(own, wish);
}

}  // namespace convene
