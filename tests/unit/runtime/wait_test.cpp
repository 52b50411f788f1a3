// SPDX-License-Identifier: Apache-2.0
// The primitive waits: flags, sleeps and turns, how each ends and what a cancelled one leaves.
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

using log_lines = std::vector<std::string>;

/// Waits for the flag and writes down how it ended.
awaitable<void> log_wait(wait_flag* flag, log_lines* log, std::string name) {
    const result<> waited = co_await flag->wait();
    log->push_back(name + (waited ? " woke" : " " + waited.error().message()));
}

awaitable<void> log_sleep(std::chrono::nanoseconds span, log_lines* log, std::string name) {
    const result<> slept = co_await sleep_for(span);
    log->push_back(name + (slept ? " woke" : " stopped"));
}

awaitable<monotonic_time> time_after_sleeping(std::chrono::nanoseconds span) {
    const result<> slept = co_await sleep_for(span);
    EXPECT_TRUE(slept.has_value());
    const coroutine_context context = co_await this_context();
    co_return context.where->now();
}

// Those that wait for a flag are woken in the order they came, in a later turn.
TEST(WaitFlag, WakesAllInTheirOrder) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    log_lines log;
    scope.spawn("first", log_wait(&flag, &log, "first"));
    scope.spawn("second", log_wait(&flag, &log, "second"));
    loop.run_ready();
    flag.set();
    EXPECT_TRUE(log.empty());
    loop.run_ready();
    EXPECT_EQ(log, (log_lines{"first woke", "second woke"}));
    EXPECT_EQ(scope.size(), 0U);
}

// Whoever comes while a flag is set does not wait; after a reset it does.
TEST(WaitFlag, StaysSetUntilItIsReset) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    log_lines log;
    flag.set();
    scope.spawn("early", log_wait(&flag, &log, "early"));
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"early woke"});

    flag.reset();
    scope.spawn("late", log_wait(&flag, &log, "late"));
    loop.run_ready();
    EXPECT_EQ(scope.size(), 1U);
    flag.set();
    loop.run(scope.join());
}

// A notification wakes those that wait now and nobody who comes after it.
TEST(WaitFlag, NotifiesOnlyThoseThatWait) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    log_lines log;
    scope.spawn("before", log_wait(&flag, &log, "before"));
    loop.run_ready();
    flag.notify_all();
    scope.spawn("after", log_wait(&flag, &log, "after"));
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"before woke"});
    EXPECT_EQ(scope.size(), 1U);
    flag.set();
    loop.run(scope.join());
}

// A cancelled wait ends with the reason, and a later set does not touch it.
// Proves: L3
TEST(WaitFlag, LeavesTheFlagWhenCancelled) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    log_lines log;
    scope.spawn("stopped", log_wait(&flag, &log, "stopped"));
    loop.run_ready();
    scope.request_stop(errc::lease_lost);
    flag.set();
    loop.run_ready();
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log.front(), "stopped " + make_error_code(errc::lease_lost).message());
}

// A cancellation between the wake-up and the turn comes too late: what was waited for has happened.
TEST(WaitFlag, ReportsTheWakeUpThatCameFirst) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    log_lines log;
    scope.spawn("woken", log_wait(&flag, &log, "woken"));
    loop.run_ready();
    flag.set();
    scope.request_stop();
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"woken woke"});
}

// In a cancelled coroutine a wait ends at once, except for a flag that is set already.
TEST(WaitFlag, ReportsASetFlagToACancelledCoroutine) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag unset;
    wait_flag set;
    set.set();
    log_lines log;
    scope.request_stop();
    scope.spawn("unset", log_wait(&unset, &log, "unset"));
    scope.spawn("set", log_wait(&set, &log, "set"));
    loop.run_ready();
    EXPECT_EQ(log, (log_lines{"unset " + make_error_code(errc::cancelled).message(), "set woke"}));
}

// A sleeper wakes exactly when its time has come, never before.
TEST(Sleep, EndsExactlyAtItsTime) {
    manual_loop loop;
    const monotonic_time start = loop.now();
    EXPECT_EQ(loop.run(time_after_sleeping(72h)), start + 72h);
}

// Time stands still between two points: a sleeper that is a nanosecond short does not wake.
TEST(Sleep, DoesNotWakeEarly) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.spawn("sleeper", log_sleep(1s, &log, "sleeper"));
    loop.advance(1s - 1ns);
    EXPECT_TRUE(log.empty());
    loop.advance(1ns);
    EXPECT_EQ(log, log_lines{"sleeper woke"});
}

// Sleepers wake in the order of their times; equal times in the order they went to sleep.
TEST(Sleep, WakesInTheOrderOfTimes) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.spawn("late", log_sleep(20ms, &log, "late"));
    scope.spawn("a", log_sleep(10ms, &log, "a"));
    scope.spawn("b", log_sleep(10ms, &log, "b"));
    loop.run(scope.join());
    EXPECT_EQ(log, (log_lines{"a woke", "b woke", "late woke"}));
}

// A time that has passed is slept until as well: at least one turn goes by, and the clock stands.
TEST(Sleep, TakesATurnForATimeThatHasPassed) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    const monotonic_time start = loop.now();
    scope.spawn("sleeper", log_sleep(-1s, &log, "sleeper"));
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"sleeper woke"});
    EXPECT_EQ(loop.now(), start);
}

// A cancelled sleeper wakes at once, and its timer is gone.
TEST(Sleep, EndsWhenCancelled) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.spawn("sleeper", log_sleep(1h, &log, "sleeper"));
    loop.run_ready();
    scope.request_stop();
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"sleeper stopped"});
    loop.advance(2h);
    EXPECT_EQ(log.size(), 1U);
}

// A sleep without end is a wait for the cancellation alone.
TEST(Sleep, UntilNeverWaitsForTheCancellation) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    auto sleeps = [](log_lines* into) -> awaitable<void> {
        const result<> slept = co_await sleep_until(deadline::never());
        into->push_back(slept ? "woke" : "stopped");
    };
    scope.spawn("sleeper", sleeps(&log));
    loop.advance(24h * 365);
    EXPECT_TRUE(log.empty());
    scope.request_stop();
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"stopped"});
}

// Giving up the turn lets everything that was ready before run first.
TEST(YieldTurn, LetsTheOthersRunFirst) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    auto yields = [](log_lines* into) -> awaitable<void> {
        into->push_back("before");
        const result<> resumed = co_await yield_turn();
        into->push_back(resumed ? "after" : "stopped");
    };
    auto runs = [](log_lines* into) -> awaitable<void> {
        into->push_back("other");
        co_return;
    };
    scope.spawn("yields", yields(&log));
    scope.spawn("runs", runs(&log));
    loop.run_ready();
    EXPECT_EQ(log, (log_lines{"before", "other", "after"}));
}

}  // namespace
}  // namespace convene
