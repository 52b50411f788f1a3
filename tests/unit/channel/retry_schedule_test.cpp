// SPDX-License-Identifier: Apache-2.0
// The retry schedule: growth, jitter, the provider's wish, and when it gives up.
#include "channel/retry_schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>

#include "support/scripted_random.hpp"

namespace convene {
namespace {

using std::chrono::hours;

const send_result passing = send_result::failed_for_now("busy", "try later");

retry_policy policy_of(std::int32_t retries, milliseconds base, milliseconds longest) {
    return {retries, base, longest, 2.0};
}

/// The least and the most that jitter can make of a delay.
scripted_random lowest() { return scripted_random{{0x00}}; }

std::optional<milliseconds> nth_delay(
    const retry_policy& policy, std::int32_t attempts, const send_result& failure = passing
) {
    scripted_random random = lowest();
    return delay_before_retry(policy, attempts, failure, random);
}

// Failures in a row with the least jitter: each wait is twice the one before, up to the longest.
// Proves: D12
TEST(RetrySchedule, DoublesUpToTheLongestDelay) {
    const retry_policy policy = policy_of(5, milliseconds{1000}, milliseconds{5000});
    EXPECT_EQ(nth_delay(policy, 1), milliseconds{800});
    EXPECT_EQ(nth_delay(policy, 2), milliseconds{1600});
    EXPECT_EQ(nth_delay(policy, 3), milliseconds{3200});
    EXPECT_EQ(nth_delay(policy, 4), milliseconds{4000});
    EXPECT_EQ(nth_delay(policy, 5), milliseconds{4000});
}

// Whatever the random source gives, a delay stays within a fifth of its plan and both ends are
// reached. Proves: D12
TEST(RetrySchedule, JittersByAFifthEitherWay) {
    const retry_policy policy = policy_of(1, milliseconds{1000}, milliseconds{60'000});
    milliseconds least = milliseconds::max();
    milliseconds most{0};
    for (int i = 0; i < 2000; ++i) {
        const auto delay = delay_before_retry(policy, 1, passing, system_random());
        ASSERT_TRUE(delay.has_value());
        least = std::min(least, *delay);
        most = std::max(most, *delay);
    }
    EXPECT_GE(least, milliseconds{800});
    EXPECT_LT(least, milliseconds{850});
    EXPECT_GT(most, milliseconds{1150});
    EXPECT_LE(most, milliseconds{1200});
}

// Three retries are allowed: the third failure is tried again, the fourth is not.
// Proves: D12
TEST(RetrySchedule, GivesUpAfterTheLastRetry) {
    const retry_policy policy = policy_of(3, milliseconds{10}, milliseconds{100});
    EXPECT_TRUE(nth_delay(policy, 3).has_value());
    EXPECT_FALSE(nth_delay(policy, 4).has_value());
    EXPECT_FALSE(nth_delay(policy_of(0, milliseconds{10}, milliseconds{10}), 1).has_value());
}

// A failure that can't pass is final, however many retries are left.
// Proves: D12
TEST(RetrySchedule, StopsAtOnceOnAPermanentFailure) {
    const send_result permanent = send_result::failed_for_good("no_such_number", "no such number");
    EXPECT_FALSE(nth_delay(policy_of(9, milliseconds{10}, milliseconds{100}), 1, permanent));
}

// The provider asks to wait longer than the policy would: its wish counts, also beyond the policy's
// longest delay, up to a day.
// Proves: D12
TEST(RetrySchedule, HonoursTheProvidersWish) {
    const retry_policy policy = policy_of(3, milliseconds{1000}, milliseconds{2000});
    send_result failure = passing;
    failure.retry_after = milliseconds{7000};
    EXPECT_EQ(nth_delay(policy, 1, failure), milliseconds{7000});
    failure.retry_after = milliseconds{5};
    EXPECT_EQ(nth_delay(policy, 1, failure), milliseconds{800});
    failure.retry_after = hours{1000};
    EXPECT_EQ(nth_delay(policy, 1, failure), hours{24});
}

// Policies with absurd numbers give a delay between nothing and a day, never one that runs away.
// Proves: D12
TEST(RetrySchedule, BoundsAbsurdPolicies) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(
        nth_delay({most, milliseconds::max(), milliseconds::max(), infinite}, 9),
        milliseconds{hours{24}} * 4 / 5
    );
    EXPECT_EQ(
        nth_delay({most, milliseconds{0}, milliseconds::max(), infinite}, most), milliseconds{0}
    );
    EXPECT_EQ(nth_delay({most, milliseconds{-5}, milliseconds{-5}, -1.0}, 2), milliseconds{0});
    EXPECT_EQ(nth_delay({most, milliseconds{10}, milliseconds{100}, none}, 7), milliseconds{8});
    EXPECT_EQ(nth_delay({most, milliseconds{10}, milliseconds{100}, 0.1}, 7), milliseconds{8});
}

}  // namespace
}  // namespace convene
