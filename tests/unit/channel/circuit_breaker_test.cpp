// SPDX-License-Identifier: Apache-2.0
// The circuit breaker: when it opens, who may probe, and what a cancelled attempt leaves behind.
#include "channel/circuit_breaker.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <vector>

namespace convene {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Test;

using edges = std::vector<breaker_edge>;

class CircuitBreaker : public Test {
   protected:
    void fail_times(int times) {
        for (int i = 0; i < times; ++i) {
            auto attempt = breaker_.admit(now_);
            attempt.failed(now_);
        }
    }

    void open() { fail_times(circuit_breaker::failures_to_open); }

    void wait_until_open_ends() { now_ += circuit_breaker::open_for; }

    [[nodiscard]] bool is_ready() const { return breaker_.ready_at(now_) <= now_; }

    circuit_breaker breaker_;
    monotonic_time now_{hours{1}};
};

// Four failures, a success, four failures: never five in a row, so it stays closed.
// Proves: D12
TEST_F(CircuitBreaker, OpensOnlyOnFailuresInARow) {
    fail_times(4);
    breaker_.admit(now_).succeeded();
    fail_times(4);
    EXPECT_FALSE(breaker_.is_open());
    EXPECT_EQ(breaker_.take_edges(), edges{});
}

// The fifth failure in a row: nothing passes for a minute, and the change is told once.
// Proves: D12
TEST_F(CircuitBreaker, OpensForAMinuteAtTheFifthFailure) {
    open();
    EXPECT_TRUE(breaker_.is_open());
    EXPECT_EQ(breaker_.ready_at(now_), now_ + minutes{1});
    EXPECT_EQ(breaker_.take_edges(), edges{breaker_edge::opened});
    EXPECT_EQ(breaker_.take_edges(), edges{});
}

// After the minute one attempt probes; others are kept out until it has ended.
// Proves: D12
TEST_F(CircuitBreaker, LetsOneProbeThrough) {
    open();
    wait_until_open_ends();
    ASSERT_TRUE(is_ready());
    auto probe = breaker_.admit(now_);
    EXPECT_FALSE(is_ready());
    probe.succeeded();
    EXPECT_TRUE(is_ready());
    EXPECT_FALSE(breaker_.is_open());
    EXPECT_EQ(breaker_.take_edges(), (edges{breaker_edge::opened, breaker_edge::closed}));
}

// A probe that fails opens the breaker for another minute. It was open before: no change is told.
// Proves: D12
TEST_F(CircuitBreaker, StaysOpenAfterAFailedProbe) {
    open();
    static_cast<void>(breaker_.take_edges());
    wait_until_open_ends();
    auto probe = breaker_.admit(now_);
    probe.failed(now_);
    EXPECT_EQ(breaker_.ready_at(now_), now_ + minutes{1});
    EXPECT_EQ(breaker_.take_edges(), edges{});
}

// The attempt that probes is cancelled: it proves nothing, and the next one probes at once.
// Proves: D12 (rk:12.6)
TEST_F(CircuitBreaker, GivesTheProbeOfACancelledAttemptBack) {
    open();
    wait_until_open_ends();
    {
        const auto cancelled = breaker_.admit(now_);
        ASSERT_FALSE(is_ready());
    }
    ASSERT_TRUE(is_ready());
    breaker_.admit(now_).succeeded();
    EXPECT_FALSE(breaker_.is_open());
}

// Moving a permit moves its duty: the probe is given back once, by the last owner.
// Proves: D12
TEST_F(CircuitBreaker, GivesAMovedProbeBackOnce) {
    open();
    wait_until_open_ends();
    {
        auto probe = breaker_.admit(now_);
        const auto moved = std::move(probe);
        EXPECT_FALSE(is_ready());
    }
    EXPECT_TRUE(is_ready());
}

// Attempts that began while it was closed end while it is open: neither closes it nor prolongs it.
// Proves: D12
TEST_F(CircuitBreaker, IgnoresStragglersWhileItIsOpen) {
    auto early_success = breaker_.admit(now_);
    auto early_failure = breaker_.admit(now_);
    open();
    const monotonic_time until = breaker_.ready_at(now_);
    now_ += std::chrono::seconds{30};
    early_success.succeeded();
    early_failure.failed(now_);
    EXPECT_TRUE(breaker_.is_open());
    EXPECT_EQ(breaker_.ready_at(now_), until);
}

// Cancelled attempts between failures: they break no row and make none.
// Proves: D12
TEST_F(CircuitBreaker, CountsACancelledAttemptForNeitherSide) {
    fail_times(4);
    {
        const auto cancelled = breaker_.admit(now_);
    }
    EXPECT_FALSE(breaker_.is_open());
    fail_times(1);
    EXPECT_TRUE(breaker_.is_open());
}

// What may be forgotten: an untouched breaker, one after a success, one that nobody asked for an
// hour; not one with an attempt under way or a change that nobody was told of. Proves: D12
TEST_F(CircuitBreaker, IsIdleOnlyWhenForgettingItLosesNothing) {
    EXPECT_TRUE(breaker_.is_idle(now_));
    {
        auto attempt = breaker_.admit(now_);
        EXPECT_FALSE(breaker_.is_idle(now_ + hours{2}));
        attempt.succeeded();
    }
    EXPECT_TRUE(breaker_.is_idle(now_));
    open();
    EXPECT_FALSE(breaker_.is_idle(now_ + hours{2}));
    static_cast<void>(breaker_.take_edges());
    EXPECT_FALSE(breaker_.is_idle(now_ + minutes{59}));
    EXPECT_TRUE(breaker_.is_idle(now_ + hours{1}));
}

// Any course of attempts, endings and time: while it is open at most one attempt is admitted at a
// time and none before its minute is over, and the changes told alternate, beginning with `opened`.
// Proves: D12
TEST(CircuitBreakerProperty, AdmitsOneProbeAtATimeAndTellsChangesInTurn) {
    EXPECT_TRUE(rc::check([] {
        circuit_breaker breaker;
        monotonic_time now{hours{1}};
        std::vector<circuit_breaker::permit> out;
        int probes_out = 0;
        edges told;
        const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
        for (const int step : steps) {
            if (step < 40 && breaker.ready_at(now) <= now) {
                if (breaker.is_open()) {
                    RC_ASSERT(probes_out == 0);
                    out.clear();  // the stragglers end, so that the probe is the only one left
                    ++probes_out;
                }
                out.push_back(breaker.admit(now));
            } else if (step < 60 && !out.empty()) {
                out.back().failed(now);
                out.pop_back();
                probes_out = 0;
            } else if (step < 65 && !out.empty()) {
                out.back().succeeded();
                out.pop_back();
                probes_out = 0;
            } else if (step < 75 && !out.empty()) {
                out.pop_back();
                probes_out = 0;
            } else {
                now += std::chrono::seconds{step - 60};
            }
            for (const breaker_edge edge : breaker.take_edges()) {
                RC_ASSERT(
                    edge == (told.size() % 2 == 0 ? breaker_edge::opened : breaker_edge::closed)
                );
                told.push_back(edge);
            }
            RC_ASSERT(breaker.is_open() == (told.size() % 2 == 1));
        }
    }));
}

}  // namespace
}  // namespace convene
