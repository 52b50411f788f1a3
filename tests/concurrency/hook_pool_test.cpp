// SPDX-License-Identifier: Apache-2.0
// Plain hooks on a real pool: hooks that hang cost their thread and nothing else.
#include "convene/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

#include "room/hook_runner.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

using log_lines = std::vector<std::string>;

hook_registry::shared_hook make_hook(
    plain_hook run, std::chrono::milliseconds deadline = 2s, std::string id = "hook"
) {
    auto hook = std::make_shared<hook_definition>();
    hook->id = hook_id{std::move(id)};
    hook->deadline = deadline;
    hook->on_failure = hook_failure_policy::fail_closed;
    hook->run = std::move(run);
    return hook;
}

/// Long enough for a hook that does nothing, on any machine.
constexpr std::chrono::milliseconds short_deadline = 300ms;

hook_verdict allow(const hook_input& /*seen*/) { return hook_verdict::allow(); }

class hook_pool_test : public testing::Test {
   protected:
    result<hook_chain_outcome> run(hook_registry::shared_hook hook) {
        std::vector<hook_registry::shared_hook> hooks{std::move(hook)};
        return where.run_until_done(runner.run_before({}, std::move(hooks)));
    }

    /// Waits until the pool's only thread has finished all that was given to it.
    void drain_pool() {
        const auto drained = where.run_until_done(run_on(&pool, [] { return true; }));
        EXPECT_TRUE(drained);
    }

    loop where;
    blocking_pool pool{1};
    hook_runner runner{&pool};
};

using HookPool = hook_pool_test;

log_lines failures_of(const result<hook_chain_outcome>& outcome) {
    log_lines lines;
    EXPECT_TRUE(outcome);
    for (const framework_event& notice : outcome->notices) {
        const std::string& data = notice.data.str();
        const std::size_t from = data.find("\"failure\":\"") + 11;
        lines.push_back(notice.type + " " + data.substr(from, data.find('"', from) - from));
    }
    return lines;
}

// A plain hook runs on the pool with the event, and its verdict counts.
// Proves: R9
TEST_F(HookPool, TakesTheVerdictOfAPlainHook) {
    const auto outcome = run(make_hook([](const hook_input& seen) {
        return hook_verdict::block(seen.event.id.empty() ? "spam" : "other");
    }));
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->blocked);
    EXPECT_EQ(outcome->blocked->reason, "spam");
}

// An exception on the pool is a failure like any other.
// Proves: R9
TEST_F(HookPool, TurnsExceptionsIntoFailures) {
    const auto outcome = run(make_hook([](const hook_input&) -> hook_verdict {
        throw std::runtime_error("not for the public");
    }));
    EXPECT_EQ(failures_of(outcome), (log_lines{"hook_failed threw"}));
}

// A hook that does not return is left behind at its deadline and not called again; it is named
// once. Once it has returned after all it is called as before, and its late verdict is nowhere to
// be seen.
// Proves: R9, R19
TEST_F(HookPool, DoesNotCallAHookThatHasNotReturned) {
    std::latch release{1};
    std::atomic<int> calls = 0;
    const auto hook = make_hook(
        [&](const hook_input&) {
            if (++calls == 1) {
                release.wait();
                return hook_verdict::block("late");
            }
            return hook_verdict::allow();
        },
        short_deadline
    );
    EXPECT_EQ(failures_of(run(hook)), (log_lines{"hook_failed timed_out"}));
    EXPECT_EQ(failures_of(run(hook)), (log_lines{"hook_failed stuck", "hook_stuck stuck"}));
    EXPECT_EQ(failures_of(run(hook)), (log_lines{"hook_failed stuck"}));
    EXPECT_EQ(calls, 1);

    release.count_down();
    drain_pool();
    const auto again = run(hook);
    EXPECT_EQ(failures_of(again), log_lines{});
    EXPECT_FALSE(again->blocked);
    EXPECT_EQ(calls, 2);
}

// A hook whose turn on the pool does not come in time is never called for an event that was decided
// long ago, and is not taken for one that hangs.
// Proves: R9
TEST_F(HookPool, GivesUpACallThatThePoolDoesNotBegin) {
    std::latch release{1};
    std::atomic<int> calls = 0;
    const auto hanging = make_hook(
        [&](const hook_input&) {
            release.wait();
            return hook_verdict::allow();
        },
        short_deadline,
        "hanging"
    );
    const auto waiting = make_hook(
        [&](const hook_input&) {
            ++calls;
            return hook_verdict::allow();
        },
        short_deadline,
        "waiting"
    );
    EXPECT_EQ(failures_of(run(hanging)), (log_lines{"hook_failed timed_out"}));
    EXPECT_EQ(failures_of(run(waiting)), (log_lines{"hook_failed overloaded"}));

    release.count_down();
    drain_pool();
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(failures_of(run(waiting)), log_lines{});
    EXPECT_EQ(calls, 1);
}

// A full pool is a failure at once: the room does not wait for it.
// Proves: R9
TEST_F(HookPool, DoesNotWaitForAFullPool) {
    blocking_pool full{1, 0};
    hook_runner crowded{&full};
    std::vector<hook_registry::shared_hook> hooks{make_hook(allow)};
    const auto outcome = where.run_until_done(crowded.run_before({}, std::move(hooks)));
    EXPECT_EQ(failures_of(outcome), (log_lines{"hook_failed overloaded"}));
}

// An after-hook that hangs is named in its row, and so is the next call of it.
// Proves: R9
TEST_F(HookPool, NamesAStuckAfterHook) {
    std::latch release{1};
    const auto hook = make_hook(
        [&](const hook_input&) {
            release.wait();
            return hook_verdict::allow();
        },
        short_deadline
    );
    EXPECT_EQ(*where.run_until_done(runner.run_after(hook, {})), "timed_out");
    EXPECT_EQ(*where.run_until_done(runner.run_after(hook, {})), "stuck");
    release.count_down();
    drain_pool();
    EXPECT_EQ(*where.run_until_done(runner.run_after(make_hook(allow), {})), "");
}

}  // namespace
}  // namespace convene
