// SPDX-License-Identifier: Apache-2.0
// Operations of the system: what they return, and that a cancelled one is waited for.
#include "runtime/io_operation.hpp"

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// A system that is told by the test when an operation has ended.
struct scripted_system {
    io_completion* told = nullptr;
    int cancels = 0;

    void end(error_code failure, std::size_t count) {
        std::exchange(told, nullptr)->completed(failure, count);
    }

    awaitable<result<std::size_t>> transfer() {
        auto operation = io_operation{
            [this](io_completion& completion) { told = &completion; }, [this] { ++cancels; }
        };
        const result<std::size_t> ended = co_await operation;
        co_return ended;
    }
};

awaitable<void> store(scripted_system* system, std::optional<result<std::size_t>>* into) {
    const result<std::size_t> ended = co_await system->transfer();
    into->emplace(ended);
}

awaitable<void> store_until(
    scripted_system* system, deadline until, std::optional<result<std::size_t>>* into
) {
    const result<std::size_t> ended = co_await with_deadline(until, system->transfer());
    into->emplace(ended);
}

// The outcome of the operation arrives in a later turn, an error as an error.
TEST(IoOperation, ReturnsWhatTheSystemSays) {
    manual_loop loop;
    task_scope scope{loop};
    scripted_system system;
    for (const error_code failure : {error_code{}, make_error_code(errc::io_failed)}) {
        std::optional<result<std::size_t>> outcome;
        scope.spawn("transfer", store(&system, &outcome));
        loop.run_ready();
        ASSERT_NE(system.told, nullptr);
        system.end(failure, 7);
        EXPECT_FALSE(outcome.has_value()) << "resumed inside the system's call";
        loop.run_ready();
        ASSERT_TRUE(outcome.has_value());
        EXPECT_EQ(outcome->has_value(), !failure);
        EXPECT_EQ(outcome->error(), failure);
    }
}

// A cancelled operation is asked to end, and the coroutine stays until it has: its buffers are in use.
TEST(IoOperation, WaitsForTheEndOfACancelledOperation) {
    manual_loop loop;
    task_scope scope{loop};
    scripted_system system;
    std::optional<result<std::size_t>> outcome;
    scope.spawn("transfer", store(&system, &outcome));
    loop.run_ready();
    scope.request_stop();
    loop.run_ready();
    EXPECT_EQ(system.cancels, 1);
    EXPECT_FALSE(outcome.has_value());
    system.end(errc::io_failed, 0);
    loop.run_ready();
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->error(), errc::cancelled);
}

// What was transferred before a deadline's cancellation took effect is not lost.
TEST(IoOperation, KeepsWhatACancelledOperationAchieved) {
    manual_loop loop;
    task_scope scope{loop};
    scripted_system system;
    std::optional<result<std::size_t>> outcome;
    const deadline until{loop.now() + 1s};
    scope.spawn("transfer", store_until(&system, until, &outcome));
    loop.run_ready();
    loop.advance(2s);
    EXPECT_EQ(system.cancels, 1);
    system.end({}, 3);
    loop.run_ready();
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->value(), 3U);
}

// Where the work is cancelled already nothing is started.
TEST(IoOperation, StartsNothingWhenCancelledBefore) {
    manual_loop loop;
    task_scope scope{loop};
    scripted_system system;
    std::optional<result<std::size_t>> outcome;
    scope.request_stop();
    scope.spawn("transfer", store(&system, &outcome));
    loop.run_ready();
    EXPECT_EQ(system.told, nullptr);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->error(), errc::cancelled);
}

}  // namespace
}  // namespace convene
