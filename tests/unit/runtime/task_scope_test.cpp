// SPDX-License-Identifier: Apache-2.0
// Task scopes: joining, stopping, and what happens to those who do not.
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

using log_lines = std::vector<std::string>;

awaitable<void> log_line(log_lines* log, std::string line) {
    log->push_back(std::move(line));
    co_return;
}

awaitable<void> sleep_then_log(std::chrono::nanoseconds span, log_lines* log, std::string name) {
    const result<> slept = co_await sleep_for(span);
    log->push_back(name + (slept ? " done" : " " + slept.error().message()));
}

/// Waits for the end of a scope and writes that down.
awaitable<void> join_then_log(task_scope* joined, log_lines* log, std::string name) {
    co_await joined->join();
    log->push_back(name + " joined");
}

awaitable<void> hold_until(wait_flag* flag, std::shared_ptr<int> held) {
    const result<> waited = co_await flag->wait();
    EXPECT_TRUE(waited.has_value());
    EXPECT_NE(held, nullptr);
}

std::string message_of(errc code) { return make_error_code(code).message(); }

// A task starts in a later turn, so that its starter finishes what it is doing.
TEST(TaskScope, StartsTasksInALaterTurn) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.spawn("first", log_line(&log, "first"));
    scope.spawn("second", log_line(&log, "second"));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(scope.size(), 2U);
    EXPECT_EQ(scope.describe(), "first, second");
    loop.run_ready();
    EXPECT_EQ(log, (log_lines{"first", "second"}));
    EXPECT_EQ(scope.size(), 0U);
    EXPECT_EQ(scope.describe(), "");
}

// Joining returns when the last task has ended, and at once when there is none.
TEST(TaskScope, JoinsAllItsTasks) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    loop.run(scope.join());
    scope.spawn("short", sleep_then_log(1s, &log, "short"));
    scope.spawn("long", sleep_then_log(3s, &log, "long"));
    const monotonic_time start = loop.now();
    loop.run(scope.join());
    EXPECT_EQ(loop.now(), start + 3s);
    EXPECT_EQ(log, (log_lines{"short done", "long done"}));
}

// Several may wait for the same scope, and a task that they spawn meanwhile is waited for as well.
TEST(TaskScope, JoinsWhatIsSpawnedWhileItJoins) {
    manual_loop loop;
    task_scope scope{loop};
    task_scope others{loop};
    log_lines log;
    scope.spawn("first", sleep_then_log(1s, &log, "first"));
    auto spawn_at_the_end = [](task_scope* into, log_lines* lines) -> awaitable<void> {
        co_await into->join();
        into->spawn("second", sleep_then_log(1s, lines, "second"));
    };
    // It waits before the joiner below, so it spawns between the end of `first` and the joiner's
    // turn.
    others.spawn("spawns", spawn_at_the_end(&scope, &log));
    others.spawn("joins", join_then_log(&scope, &log, "scope"));
    loop.run(others.join());
    EXPECT_EQ(log, (log_lines{"first done", "second done", "scope joined"}));
}

// A stop request cancels what runs, with its reason; joining then takes no time.
TEST(TaskScope, StopsItsTasks) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.spawn("sleeper", sleep_then_log(9s, &log, "sleeper"));
    loop.run_ready();
    const monotonic_time start = loop.now();
    scope.request_stop(errc::lease_lost);
    scope.request_stop(errc::timed_out);
    EXPECT_TRUE(scope.is_stopping());
    loop.run(scope.join());
    EXPECT_EQ(log, log_lines{"sleeper " + message_of(errc::lease_lost)});
    EXPECT_EQ(loop.now(), start);
}

// A task spawned after the stop request still runs, cancelled: whoever waits for it gets an answer.
TEST(TaskScope, AnswersForTasksSpawnedAfterTheStop) {
    manual_loop loop;
    task_scope scope{loop};
    log_lines log;
    scope.request_stop();
    scope.spawn("late", sleep_then_log(9s, &log, "late"));
    scope.spawn("quick", log_line(&log, "quick"));
    loop.run(scope.join());
    EXPECT_EQ(log, (log_lines{"late " + message_of(errc::cancelled), "quick"}));
}

// Whoever joins and is cancelled stops the tasks, and still waits for their ends.
TEST(TaskScope, StopsItsTasksWhenTheJoinerIsCancelled) {
    manual_loop loop;
    task_scope scope{loop};
    task_scope joiners{loop};
    log_lines log;
    auto clean_up_slowly = [](log_lines* into) -> awaitable<void> {
        const result<> slept = co_await sleep_for(9s);
        EXPECT_EQ(slept.error(), errc::cancelled);
        const result<> cleaned = co_await shielded(sleep_for(2s));
        into->push_back(cleaned ? "cleaned" : "interrupted");
    };
    scope.spawn("slow", clean_up_slowly(&log));
    joiners.spawn("joins", join_then_log(&scope, &log, "scope"));
    loop.run_ready();
    const monotonic_time start = loop.now();
    joiners.request_stop();
    loop.run(joiners.join());
    EXPECT_EQ(log, (log_lines{"cleaned", "scope joined"}));
    EXPECT_EQ(loop.now(), start + 2s);
}

// A scope below a source is stopped with it.
TEST(TaskScope, StopsWithItsParent) {
    manual_loop loop;
    cancel_source parent;
    task_scope scope{loop, &parent};
    log_lines log;
    scope.spawn("sleeper", sleep_then_log(9s, &log, "sleeper"));
    loop.run_ready();
    parent.request(errc::timed_out);
    loop.run_ready();
    EXPECT_EQ(log, log_lines{"sleeper " + message_of(errc::timed_out)});
}

// When a scope is idle, nothing of its tasks is left: what they held is free.
TEST(TaskScope, FreesATaskBeforeItIsJoined) {
    manual_loop loop;
    task_scope scope{loop};
    wait_flag flag;
    const auto held = std::make_shared<int>(0);
    scope.spawn("holds", hold_until(&flag, held));
    loop.run_ready();
    EXPECT_EQ(held.use_count(), 2);
    flag.set();
    loop.run(scope.join());
    EXPECT_EQ(held.use_count(), 1);
}

// On an abandoned executor, as after a crash, tasks are dropped in any state and leave nothing
// behind.
TEST(TaskScope, DropsItsTasksOnAnAbandonedExecutor) {
    manual_loop loop;
    wait_flag flag;
    const auto held = std::make_shared<int>(0);
    {
        task_scope scope{loop};
        scope.spawn("waits", hold_until(&flag, held));
        loop.run_ready();
        scope.spawn("not started", hold_until(&flag, held));
        EXPECT_EQ(held.use_count(), 3);
        loop.abandon();
        loop.run_ready();
        EXPECT_EQ(held.use_count(), 3);
    }
    EXPECT_EQ(held.use_count(), 1);
}

/// An owner in which its own task holds a share: its destructor alone would never run.
struct shared_owner {
    explicit shared_owner(executor& where) : tasks(where) {}

    task_scope tasks;
};

awaitable<void> wait_inside(std::shared_ptr<shared_owner> owner, wait_flag* flag) {
    const result<> waited = co_await flag->wait();
    EXPECT_TRUE(waited) << "never resumed";
    EXPECT_NE(owner, nullptr);
}

// After a crash, tasks that hold shares in their owner are dropped by whoever has the owner.
TEST(TaskScope, DropsTasksThatHoldTheirOwner) {
    manual_loop loop;
    wait_flag flag;
    auto owner = std::make_shared<shared_owner>(loop);
    const std::weak_ptr<shared_owner> seen = owner;
    owner->tasks.spawn("inside", wait_inside(owner, &flag));
    loop.run_ready();
    loop.abandon();
    owner->tasks.drop();
    EXPECT_EQ(owner->tasks.size(), 0U);
    owner.reset();
    EXPECT_TRUE(seen.expired());
}

// Forgetting to join is a bug that names the tasks.
TEST(TaskScopeDeathTest, AbortsWithTheNamesOfTasksThatWereNotJoined) {
    manual_loop loop;
    wait_flag never;
    EXPECT_DEATH(
        {
            task_scope scope{loop};
            scope.spawn("lane r1", hold_until(&never, nullptr));
            scope.spawn("sweep", hold_until(&never, nullptr));
        },
        "running tasks: lane r1, sweep"
    );
}

// An exception that no task caught is a bug that names the task and the exception.
TEST(TaskScopeDeathTest, AbortsWithTheNameOfATaskThatThrew) {
    manual_loop loop;
    auto throws = []() -> awaitable<void> {
        const result<> resumed = co_await yield_turn();
        EXPECT_TRUE(resumed.has_value());
        throw std::runtime_error{"unexpected row"};
    };
    EXPECT_DEATH(
        {
            task_scope scope{loop};
            scope.spawn("reader", throws());
            loop.run_ready();
        },
        "task 'reader' ended with an exception.*(\n.*)*unexpected row"
    );
}

}  // namespace
}  // namespace convene
