// SPDX-License-Identifier: Apache-2.0
// Deadlines, shields and additional sources: what reaches the work below them, and when.
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Sleeps and yields how that ended together with the time it ended at.
struct ending {
    error_code outcome;
    monotonic_time at;
};

awaitable<ending> sleep_and_tell(std::chrono::nanoseconds span) {
    const result<> slept = co_await sleep_for(span);
    const coroutine_context context = co_await this_context();
    const error_code outcome = slept ? error_code{} : slept.error();
    co_return ending{outcome, context.where->now()};
}

/// Work with a commit point: after it the outcome is decided, whatever is asked.
awaitable<result<int>> commit_and_clean_up(
    std::chrono::nanoseconds before, std::chrono::nanoseconds after
) {
    const result<> prepared = co_await sleep_for(before);
    if (!prepared) {
        co_return prepared.error();
    }
    // The commit point.
    const result<> cleaned = co_await shielded(sleep_for(after));
    EXPECT_TRUE(cleaned.has_value());
    co_return 42;
}

class Deadline : public testing::Test {
   protected:
    [[nodiscard]] deadline in(std::chrono::nanoseconds span) const {
        return deadline{start_ + span};
    }

    manual_loop loop_;
    const monotonic_time start_ = loop_.now();
};

// Work that takes too long is cancelled exactly at the deadline, with the code for that.
// Proves: L3
TEST_F(Deadline, EndsAWaitExactlyInTime) {
    const ending ended = loop_.run(with_deadline(in(2s), sleep_and_tell(5s)));
    EXPECT_EQ(ended.outcome, errc::timed_out);
    EXPECT_EQ(ended.at, start_ + 2s);
}

// Work that is done in time is not touched, and the timer is gone with it.
TEST_F(Deadline, LeavesFinishedWorkAlone) {
    const ending ended = loop_.run(with_deadline(in(5s), sleep_and_tell(2s)));
    EXPECT_FALSE(ended.outcome);
    EXPECT_EQ(loop_.now(), start_ + 2s);
}

// Without a deadline nothing is armed.
TEST_F(Deadline, NeverIsNoDeadline) {
    const ending ended = loop_.run(with_deadline(deadline::never(), sleep_and_tell(9999h)));
    EXPECT_FALSE(ended.outcome);
}

// Of two nested deadlines the sooner one wins, wherever it stands.
// Proves: L3
TEST_F(Deadline, TheSoonerOfTwoWins) {
    auto inner_sooner = with_deadline(in(3s), with_deadline(in(1s), sleep_and_tell(9s)));
    EXPECT_EQ(loop_.run(std::move(inner_sooner)).at, start_ + 1s);
    auto outer_sooner = with_deadline(in(2s), with_deadline(in(3s), sleep_and_tell(9s)));
    const ending ended = loop_.run(std::move(outer_sooner));
    EXPECT_EQ(ended.outcome, errc::timed_out);
    EXPECT_EQ(ended.at, start_ + 2s);
}

// A deadline that has passed lets work start, but its first wait ends before it begins.
// Proves: L3
TEST_F(Deadline, EndsTheFirstWaitWhenItHasPassed) {
    auto waits_one_turn = []() -> awaitable<result<>> {
        const result<> resumed = co_await yield_turn();
        co_return resumed;
    };
    const result<> late = loop_.run(with_deadline(in(0s), waits_one_turn()));
    EXPECT_EQ(late.error(), errc::timed_out);
    const result<> in_time = loop_.run(with_deadline(in(1ns), waits_one_turn()));
    EXPECT_TRUE(in_time.has_value());
}

// Work that needs no wait is done even after its deadline.
TEST_F(Deadline, DoesNotInterruptWorkThatDoesNotWait) {
    auto computes = []() -> awaitable<int> { co_return 3; };
    EXPECT_EQ(loop_.run(with_deadline(in(0s), computes())), 3);
}

// Once work has passed its commit point its own result is returned, although the deadline passed
// meanwhile.
TEST_F(Deadline, KeepsTheResultOfWorkPastItsCommitPoint) {
    const result<int> answer = loop_.run(with_deadline(in(2s), commit_and_clean_up(1s, 5s)));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(*answer, 42);
    EXPECT_EQ(loop_.now(), start_ + 6s);
}

// After the cancelled work its caller goes on under its own deadline, not under the one that
// passed.
TEST_F(Deadline, EndsWithTheWorkItWasGivenFor) {
    auto tries_twice = [](deadline until) -> awaitable<ending> {
        const ending first = co_await with_deadline(until, sleep_and_tell(5s));
        EXPECT_EQ(first.outcome, errc::timed_out);
        co_return co_await sleep_and_tell(5s);
    };
    const ending second = loop_.run(tries_twice(in(1s)));
    EXPECT_FALSE(second.outcome);
    EXPECT_EQ(second.at, start_ + 6s);
}

// The caller's cancellation reaches work below a deadline, with the caller's reason.
TEST_F(Deadline, PassesOnTheCallersCancellation) {
    std::optional<ending> seen;
    auto task = [](std::optional<ending>* into, deadline until) -> awaitable<void> {
        *into = co_await with_deadline(until, sleep_and_tell(5s));
    };
    task_scope scope{loop_};
    scope.spawn("task", task(&seen, in(3s)));
    loop_.advance(1s);
    scope.request_stop(errc::lease_lost);
    loop_.run_ready();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->outcome, errc::lease_lost);
}

// Dropping a coroutine under a deadline disarms it: nothing is left that could fire.
TEST_F(Deadline, IsDisarmedWhenItsWorkIsDropped) {
    const auto held = std::make_shared<int>(0);
    auto task = [](std::shared_ptr<int>, deadline until) -> awaitable<void> {
        const ending never = co_await with_deadline(until, sleep_and_tell(5s));
        EXPECT_FALSE(never.outcome);
    };
    executor& where = loop_;
    awaitable<void> work = task(held, in(3s));
    const coroutine_context context{&where, nullptr, nullptr};
    work.start_under(context, std::noop_coroutine()).resume();
    EXPECT_EQ(held.use_count(), 2);
    {
        const awaitable<void> dropped = std::move(work);
    }
    EXPECT_EQ(held.use_count(), 1);
    loop_.advance(10s);
}

// A shield keeps the caller's cancellation and deadline away from what it covers.
TEST_F(Deadline, DoesNotReachShieldedWork) {
    const ending ended = loop_.run(with_deadline(in(1s), shielded(sleep_and_tell(5s))));
    EXPECT_FALSE(ended.outcome);
    EXPECT_EQ(ended.at, start_ + 5s);
}

// Shielded clean-up has a deadline of its own.
TEST_F(Deadline, HoldsInsideAShield) {
    auto clean_up = with_deadline(in(2s), sleep_and_tell(5s));
    const ending ended = loop_.run(with_deadline(in(1s), shielded(std::move(clean_up))));
    EXPECT_EQ(ended.outcome, errc::timed_out);
    EXPECT_EQ(ended.at, start_ + 2s);
}

// After a shield the coroutine is as cancelled as it was before.
TEST_F(Deadline, HoldsAgainAfterAShield) {
    auto cleans_up = []() -> awaitable<ending> {
        const ending cleaned = co_await shielded(sleep_and_tell(3s));
        EXPECT_FALSE(cleaned.outcome);
        co_return co_await sleep_and_tell(5s);
    };
    const ending ended = loop_.run(with_deadline(in(1s), cleans_up()));
    EXPECT_EQ(ended.outcome, errc::timed_out);
    EXPECT_EQ(ended.at, start_ + 3s);
}

awaitable<void> store_ending(std::optional<ending>* into, cancel_source* source) {
    *into = co_await cancelled_by(source, sleep_and_tell(5s));
}

// Work under an additional source ends with that source's reason; its caller is not cancelled.
// Proves: L6
TEST_F(Deadline, IsNotTheOnlySourceOfACancellation) {
    std::optional<ending> seen;
    cancel_source lost;
    task_scope scope{loop_};
    scope.spawn("protected", store_ending(&seen, &lost));
    loop_.advance(1s);
    lost.request(errc::lease_lost);
    loop_.run_ready();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->outcome, errc::lease_lost);
    EXPECT_FALSE(scope.is_stopping());
}

// The caller's own cancellation still reaches work under an additional source.
TEST_F(Deadline, LetsTheCallerCancelWorkUnderAnAdditionalSource) {
    std::optional<ending> seen;
    cancel_source lost;
    task_scope scope{loop_};
    scope.spawn("protected", store_ending(&seen, &lost));
    loop_.run_ready();
    scope.request_stop();
    loop_.run_ready();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->outcome, errc::cancelled);
    EXPECT_FALSE(lost.is_requested());
}

// A source that was requested before, or that ends before the work, does no harm.
TEST_F(Deadline, BearsSourcesThatEndEarly) {
    cancel_source requested;
    requested.request(errc::lease_lost);
    EXPECT_EQ(loop_.run(cancelled_by(&requested, sleep_and_tell(5s))).outcome, errc::lease_lost);

    std::optional<ending> seen;
    auto lost = std::make_unique<cancel_source>();
    task_scope scope{loop_};
    scope.spawn("protected", store_ending(&seen, lost.get()));
    loop_.run_ready();
    lost.reset();
    loop_.run(scope.join());
    ASSERT_TRUE(seen.has_value());
    EXPECT_FALSE(seen->outcome);
}

}  // namespace
}  // namespace convene
