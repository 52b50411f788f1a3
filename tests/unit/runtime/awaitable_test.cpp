// SPDX-License-Identifier: Apache-2.0
// Awaitables: when they run, who owns what they hold, and how values and exceptions come out.
#include "convene/awaitable.hpp"

#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

static_assert(std::is_nothrow_move_constructible_v<awaitable<int>>);
static_assert(std::is_nothrow_move_assignable_v<awaitable<int>>);
static_assert(!std::is_copy_constructible_v<awaitable<int>>);
static_assert(!std::is_default_constructible_v<awaitable<int>>);

/// Shared with a coroutine: its use count tells whether the coroutine's frame still holds it.
using witness = std::shared_ptr<int>;

witness make_witness() { return std::make_shared<int>(0); }

awaitable<int> count_a_start(witness starts) {
    ++*starts;
    co_return *starts;
}

awaitable<void> wait_for_ever(wait_flag* never, witness held) {
    const witness local = std::move(held);
    const result<> waited = co_await never->wait();
    EXPECT_TRUE(waited.has_value());
    EXPECT_NE(local, nullptr);
}

awaitable<void> fail_after_a_turn() {
    const result<> resumed = co_await yield_turn();
    EXPECT_TRUE(resumed.has_value());
    throw std::runtime_error{"broken"};
}

awaitable<int> fail_with_a_value_type() {
    co_await fail_after_a_turn();
    co_return 1;
}

// A coroutine that was made and not awaited has not done anything yet.
TEST(Awaitable, StartsWhenItIsAwaited) {
    manual_loop loop;
    const witness starts = make_witness();
    awaitable<int> lazy = count_a_start(starts);
    loop.run_ready();
    EXPECT_EQ(*starts, 0);
    EXPECT_EQ(loop.run(std::move(lazy)), 1);
}

// A coroutine that is never awaited gives back what it was given.
TEST(Awaitable, FreesItsParametersWhenItNeverStarts) {
    const witness held = make_witness();
    {
        const awaitable<int> lazy = count_a_start(held);
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, 0);
}

// A moved awaitable takes its frame along; the one it replaces is destroyed at once.
TEST(Awaitable, MovesItsFrameAndDestroysWhatItReplaces) {
    manual_loop loop;
    const witness kept = make_witness();
    const witness replaced = make_witness();
    awaitable<int> target = count_a_start(replaced);
    awaitable<int> source = count_a_start(kept);
    target = std::move(source);
    EXPECT_EQ(replaced.use_count(), 1);
    EXPECT_EQ(kept.use_count(), 2);
    EXPECT_EQ(loop.run(std::move(target)), 1);
    EXPECT_EQ(*replaced, 0);
}

// A suspended coroutine that is destroyed frees its parameters and locals, and its wait is
// forgotten.
TEST(Awaitable, CanBeDestroyedWhileItWaits) {
    manual_loop loop;
    wait_flag never;
    const witness held = make_witness();
    {
        task_scope scope{loop};
        scope.spawn("waits", wait_for_ever(&never, held));
        loop.run_ready();
        EXPECT_EQ(held.use_count(), 2);
        loop.abandon();
    }
    EXPECT_EQ(held.use_count(), 1);
    never.set();
}

// A coroutine that is destroyed between its wake-up and its turn is not resumed.
TEST(Awaitable, CanBeDestroyedWhileItIsQueued) {
    manual_loop loop;
    wait_flag flag;
    const witness held = make_witness();
    {
        task_scope scope{loop};
        scope.spawn("queued", wait_for_ever(&flag, held));
        loop.run_ready();
        flag.set();
        loop.abandon();
    }
    EXPECT_EQ(held.use_count(), 1);
}

// An exception passes through every awaiting coroutine up to one that catches it.
TEST(Awaitable, HandsExceptionsToWhoeverAwaits) {
    manual_loop loop;
    auto catches = []() -> awaitable<std::string> {
        std::string caught;
        try {
            const int value = co_await fail_with_a_value_type();
            caught = std::to_string(value);
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        co_return caught;
    };
    EXPECT_EQ(loop.run(catches()), "broken");
}

// A result that is an error code can be returned as the bare code, and a value as the bare value.
TEST(Awaitable, ConvertsWhatIsReturned) {
    manual_loop loop;
    auto refuses = []() -> awaitable<result<std::string>> { co_return errc::not_found; };
    auto answers = []() -> awaitable<result<std::string>> { co_return "yes"; };
    auto succeeds = []() -> awaitable<result<>> { co_return {}; };
    EXPECT_EQ(loop.run(refuses()).error(), errc::not_found);
    EXPECT_EQ(loop.run(answers()).value(), "yes");
    EXPECT_TRUE(loop.run(succeeds()).has_value());
}

// Values that can only be moved come out of a coroutine like any other.
TEST(Awaitable, YieldsMoveOnlyValues) {
    manual_loop loop;
    auto makes = []() -> awaitable<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    auto passes = [](awaitable<std::unique_ptr<int>> inner) -> awaitable<std::unique_ptr<int>> {
        co_return co_await std::move(inner);
    };
    EXPECT_EQ(*loop.run(passes(makes())), 7);
}

// A chain of awaits uses the heap, not the stack, however deep it is and however often it returns.
TEST(Awaitable, ReturnsWithoutGrowingTheStack) {
    manual_loop loop;
    auto leaf = [](int value) -> awaitable<int> { co_return value + 1; };
    auto repeats = [](decltype(leaf) step) -> awaitable<int> {
        int value = 0;
        while (value < 1'000'000) {
            value = co_await step(value);
        }
        co_return value;
    };
    EXPECT_EQ(loop.run(repeats(leaf)), 1'000'000);
}

}  // namespace
}  // namespace convene
