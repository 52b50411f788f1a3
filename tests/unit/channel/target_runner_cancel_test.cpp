// SPDX-License-Identifier: Apache-2.0
// The target runner cancelled at each of its waits: it ends at once, records nothing and leaves
// nothing behind.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "unit/channel/target_fixture.hpp"

namespace convene {
namespace {

using std::chrono::minutes;

class TargetRunnerCancelled : public target_fixture {
   protected:
    void expect_cancelled(running_target& running) {
        ASSERT_FALSE(running.outcome.has_value()) << "it did not wait";
        cancel(running);
        ASSERT_TRUE(running.outcome.has_value());
        ASSERT_FALSE(running.outcome->has_value());
        EXPECT_EQ(running.outcome->error(), errc::lease_lost);
    }
};

// Cancelled before it began: no attempt is made.
// Proves: D12, L6
TEST_F(TargetRunnerCancelled, BeforeTheFirstAttempt) {
    running_target running{loop_};
    running.scope.request_stop(errc::lease_lost);
    auto keep = [](running_target* into, awaitable<result<target_outcome>> work
                ) -> awaitable<void> { into->outcome.emplace(co_await std::move(work)); };
    running.scope.spawn("target", keep(&running, runner_.run(target_for("d1"))));
    loop_.run_ready();
    ASSERT_TRUE(running.outcome.has_value());
    EXPECT_EQ(running.outcome->error(), errc::lease_lost);
    EXPECT_TRUE(phone_->attempts().empty());
}

// Cancelled while the lease is suspect.
// Proves: D12, L6
TEST_F(TargetRunnerCancelled, WhileTheLeaseIsSuspect) {
    delivery_target target = target_for("d1");
    target.may_start = [] { return false; };
    const auto running = start(target);
    expect_cancelled(*running);
}

// Cancelled in the middle of an attempt: it is neither a failed attempt nor one for the breaker.
// Proves: D12
TEST_F(TargetRunnerCancelled, DuringAnAttempt) {
    for (int i = 0; i < 2 * circuit_breaker::failures_to_open; ++i) {
        phone_->then(scripted_attempt::hangs());
        const auto running = start(target_for("d1"));
        expect_cancelled(*running);
    }
    EXPECT_EQ(run(target_for("d2"))->state, delivery_state::done);
}

constexpr seconds sending_time{1};

/// Sends, and hears of a cancellation only then.
class finishing_channel final : public transport_channel {
   public:
    [[nodiscard]] channel_id id() const override { return channel_id{"finishing"}; }

    [[nodiscard]] std::string type() const override { return "finishing"; }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request /*request*/) override {
        const result<> cut_short = co_await sleep_for(sending_time);
        static_cast<void>(cut_short);
        co_return send_result::sent("late");
    }
};

// The attempt was past the point of no return when it was cancelled, and ends as sent: that is its
// outcome. Proves: D12
TEST_F(TargetRunnerCancelled, AfterTheChannelHasSent) {
    ASSERT_TRUE(channels_.add(std::make_shared<finishing_channel>()).has_value());
    delivery_target target = target_for("d1");
    target.row.channel = channel_id{"finishing"};
    const auto running = start(target);
    cancel(*running);
    ASSERT_TRUE(running->outcome.has_value());
    ASSERT_TRUE(running->outcome->has_value());
    EXPECT_EQ((*running->outcome)->state, delivery_state::done);
}

// Cancelled between two attempts.
// Proves: D12
TEST_F(TargetRunnerCancelled, WhileItWaitsForARetry) {
    phone_->then(scripted_attempt::fails_for_now());
    const auto running = start(target_for("d1"));
    expect_cancelled(*running);
    EXPECT_EQ(phone_->attempts().size(), 1U);
}

// Cancelled while it waits for the rate limit: its place is free for the next.
// Proves: D12
TEST_F(TargetRunnerCancelled, WhileItWaitsForTheRateLimit) {
    delivery_target target = target_for("d1");
    target.binding.limit = rate_limit{1.0, std::nullopt, std::nullopt};
    ASSERT_TRUE(run(target).has_value());
    const auto waiting = start(target);
    expect_cancelled(*waiting);
    const monotonic_time begun = loop_.now();
    EXPECT_EQ(run(target)->state, delivery_state::done);
    EXPECT_EQ(loop_.now() - begun, seconds{1});
}

// Cancelled while the breaker is open, and while somebody else probes.
// Proves: D12
TEST_F(TargetRunnerCancelled, WhileTheBreakerKeepsItOut) {
    open_breaker();
    const auto kept_out = start(target_for("d1"));
    expect_cancelled(*kept_out);

    loop_.advance(minutes{1});
    phone_->then(scripted_attempt::hangs());
    const auto probing = start(target_for("d2"));
    const auto behind_the_probe = start(target_for("d3"));
    expect_cancelled(*behind_the_probe);
    cancel(*probing);
}

// The probe is cancelled: the next target probes at once, and the breaker closes.
// Proves: D12 (rk:12.6)
TEST_F(TargetRunnerCancelled, WhileItProbes) {
    open_breaker();
    loop_.advance(minutes{1});
    phone_->then(scripted_attempt::hangs());
    const auto probing = start(target_for("d1"));
    expect_cancelled(*probing);
    const monotonic_time begun = loop_.now();
    EXPECT_EQ(run(target_for("d2"))->state, delivery_state::done);
    EXPECT_EQ(loop_.now(), begun);
}

// The attempt that opened the breaker belongs to a target that is cancelled before its end: the
// next outcome of the destination tells of the change. Proves: D12, R19
TEST_F(TargetRunnerCancelled, ItsNoticesAreToldByTheNextOutcome) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    for (int i = 1; i < circuit_breaker::failures_to_open; ++i) {
        ASSERT_TRUE(run(once("d")).has_value());
    }
    const auto opening = start(target_for("opening"));
    expect_cancelled(*opening);
    delivery_target next = target_for("next");
    next.wait_until = in(milliseconds{0});
    const auto outcome = run(next);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_EQ(outcome->notices.size(), 1U);
    EXPECT_EQ(outcome->notices[0].type, "circuit_breaker_opened");
}

}  // namespace
}  // namespace convene
