// SPDX-License-Identifier: Apache-2.0
// The rate limiter: bursts, slow rates, several limits at once, and slots that are given back.
#include "channel/rate_limiter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <vector>

namespace convene {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;

constexpr monotonic_time start{hours{1}};

rate_limit per_second(double rate) { return {rate, std::nullopt, std::nullopt}; }

rate_limit per_minute(double rate) { return {std::nullopt, rate, std::nullopt}; }

/// When `count` deliveries asked for at once may start, after the first moment.
std::vector<nanoseconds> starts_of(const rate_limit& limit, int count) {
    rate_limiter limiter;
    const auto windows = windows_of(limit);
    std::vector<nanoseconds> starts;
    for (int i = 0; i < count; ++i) {
        auto slot = limiter.take(windows, start);
        slot.use();
        starts.push_back(slot.at() - start);
    }
    return starts;
}

// Three a second, five at once: three go at once, the rest a second later.
// Proves: D12
TEST(RateLimiter, LetsABurstUpToTheLimitGoAtOnce) {
    const nanoseconds none{0};
    const nanoseconds later = seconds{1};
    EXPECT_EQ(starts_of(per_second(3), 5), (std::vector{none, none, none, later, later}));
}

// Half a delivery a second: the first goes at once, then one every two seconds.
// Proves: D12 (rk:12.6)
TEST(RateLimiter, GrantsRatesBelowOneASecond) {
    const std::vector<nanoseconds> expected{seconds{0}, seconds{2}, seconds{4}};
    EXPECT_EQ(starts_of(per_second(0.5), 3), expected);
}

// Thirty a minute: thirty at once, and the next when the first is a minute old.
// Proves: D12 (rk:12.6)
TEST(RateLimiter, GrantsThirtyAMinute) {
    const auto starts = starts_of(per_minute(30), 31);
    EXPECT_EQ(starts[29], seconds{0});
    EXPECT_EQ(starts[30], minutes{1});
}

// Two a second and three a minute: the second limit holds as well as the first.
// Proves: D12
TEST(RateLimiter, HoldsAllLimitsTogether) {
    const rate_limit limit{2.0, 3.0, std::nullopt};
    const std::vector<nanoseconds> expected{
        seconds{0}, seconds{0}, seconds{1}, seconds{60}, seconds{60}, seconds{61}
    };
    EXPECT_EQ(starts_of(limit, 6), expected);
}

// No limit is set: nothing waits, nothing is remembered.
// Proves: D12
TEST(RateLimiter, DoesNotHoldBackWithoutALimit) {
    EXPECT_EQ(starts_of({}, 3), std::vector<nanoseconds>(3));
    rate_limiter limiter;
    limiter.take({}, start).use();
    EXPECT_TRUE(limiter.is_idle(start));
}

// Two rooms share a destination, one of them without a limit: it does not overtake those in line.
// Proves: D12
TEST(RateLimiter, LetsNobodyOvertakeThoseInLine) {
    rate_limiter limiter;
    limiter.take(windows_of(per_second(1)), start).use();
    const auto in_line = limiter.take(windows_of(per_second(1)), start);
    EXPECT_EQ(limiter.next_free({}, start), in_line.at());
}

// Zero, negative and senseless rates count as the smallest rate: slow, but never dropped.
// Proves: D12
TEST(RateLimiter, NeverTurnsALimitIntoADrop) {
    for (const double rate : {0.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(starts_of(per_second(rate), 2)[1], seconds{1000}) << rate;
    }
}

// A rate too high to remember each start is held in a shorter window of the same rate.
// Proves: D12
TEST(RateLimiter, BoundsWhatItRemembers) {
    const auto windows = windows_of(per_second(102'400));
    ASSERT_EQ(windows.size(), 1U);
    EXPECT_EQ(windows[0], (rate_window{1024, std::chrono::milliseconds{10}}));
}

// The last in line goes away: its start is free for the next. One from the middle goes: those
// behind keep theirs. Proves: D12
TEST(RateLimiter, FreesTheSlotOfOneThatLeaves) {
    rate_limiter limiter;
    const auto windows = windows_of(per_second(1));
    limiter.take(windows, start).use();
    {
        const auto leaving = limiter.take(windows, start);
        EXPECT_EQ(leaving.at(), start + seconds{1});
    }
    EXPECT_EQ(limiter.next_free(windows, start), start + seconds{1});

    std::optional<rate_limiter::slot> middle{limiter.take(windows, start)};
    auto last = limiter.take(windows, start);
    middle.reset();
    EXPECT_EQ(last.at(), start + seconds{2});
    EXPECT_EQ(limiter.next_free(windows, start), start + seconds{3});
}

// A limiter whose windows have emptied is forgotten; one with a slot out is not.
// Proves: D12
TEST(RateLimiter, IsIdleOnceItsWindowsAreEmpty) {
    rate_limiter limiter;
    const auto windows = windows_of(per_minute(5));
    EXPECT_TRUE(limiter.is_idle(start));
    {
        auto slot = limiter.take(windows, start);
        EXPECT_FALSE(limiter.is_idle(start + hours{1}));
        slot.use();
    }
    EXPECT_FALSE(limiter.is_idle(start + seconds{59}));
    EXPECT_TRUE(limiter.is_idle(start + minutes{1}));
}

/// Used starts within `span` from `from` on.
std::ptrdiff_t within(
    const std::vector<monotonic_time>& used, monotonic_time from, nanoseconds span
) {
    return std::ranges::count_if(used, [from, span](monotonic_time at) {
        return at >= from && at < from + span;
    });
}

// Any arrivals, cancellations and limits: no window ever holds more than its limit, starts keep the
// order of asking, and nobody waits although every window has room. Proves: D12
TEST(RateLimiterProperty, NeverExceedsAnyWindowAndNeverWaitsForNothing) {
    EXPECT_TRUE(rc::check([] {
        const int a_second = *rc::gen::inRange(1, 5);
        const int a_minute = *rc::gen::inRange(1, 20);
        const rate_limit limit{
            static_cast<double>(a_second), static_cast<double>(a_minute), std::nullopt
        };
        const auto windows = windows_of(limit);
        const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));

        rate_limiter limiter;
        monotonic_time now = start;
        std::vector<monotonic_time> used;
        for (const int step : steps) {
            const bool cancels = step % 10 == 0;
            auto slot = limiter.take(windows, now);
            const bool is_in_order = used.empty() || slot.at() >= used.back();
            RC_ASSERT(is_in_order);
            const bool has_room = within(used, now - seconds{1} + nanoseconds{1}, hours{1}) <
                                      a_second &&
                                  within(used, now - minutes{1} + nanoseconds{1}, hours{1}) <
                                      a_minute;
            const bool waits_for_nothing = has_room && slot.at() != now;
            RC_ASSERT(!waits_for_nothing);
            if (!cancels) {
                slot.use();
                used.push_back(slot.at());
            }
            now += milliseconds{step % 7 == 0 ? step * 10 : step / 10};
        }
        for (const monotonic_time from : used) {
            RC_ASSERT(within(used, from, seconds{1}) <= a_second);
            RC_ASSERT(within(used, from, minutes{1}) <= a_minute);
        }
    }));
}

}  // namespace
}  // namespace convene
