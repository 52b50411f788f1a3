// SPDX-License-Identifier: Apache-2.0
// The blocking pool with real threads: answers, bounds, callers that leave, and pools that end.
#include "convene/blocking_pool.hpp"

#include "convene/loop.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Counts a latch down when its last copy dies.
using farewell = std::shared_ptr<std::latch>;

farewell count_down_at_the_end(std::latch& gone) {
    return farewell{&gone, [](std::latch* counted) { counted->count_down(); }};
}

template <class F>
awaitable<void> store_answer(blocking_pool* pool, std::optional<result<int>>* into, F work) {
    const result<int> answer = co_await run_on(pool, std::move(work));
    into->emplace(answer);
}

// Whatever a function returns comes back as a result: a value, a result, or nothing.
TEST(BlockingPool, BringsBackValuesResultsAndNothing) {
    loop loop;
    blocking_pool pool{1};
    const result<std::string> value = loop.run_until_done(run_on(&pool, [] {
        return std::string{"v"};
    }));
    const result<int> good = loop.run_until_done(run_on(&pool, []() -> result<int> { return 2; }));
    const result<int> bad = loop.run_until_done(run_on(&pool, []() -> result<int> {
        return errc::not_found;
    }));
    const result<> nothing = loop.run_until_done(run_on(&pool, [] {}));
    EXPECT_EQ(value.value(), "v");
    EXPECT_EQ(good.value(), 2);
    EXPECT_EQ(bad.error(), errc::not_found);
    EXPECT_TRUE(nothing.has_value());
}

// A function with state that can't be copied runs like any other, off the loop's thread.
TEST(BlockingPool, RunsMoveOnlyFunctionsOnItsThread) {
    loop loop;
    blocking_pool pool{1};
    auto state = std::make_unique<int>(5);
    auto work = [held = std::move(state), here = std::this_thread::get_id()]() mutable {
        return std::this_thread::get_id() == here ? std::unique_ptr<int>{} : std::move(held);
    };
    result<std::unique_ptr<int>> answer = loop.run_until_done(run_on(&pool, std::move(work)));
    ASSERT_TRUE(answer.has_value());
    ASSERT_NE(*answer, nullptr);
    EXPECT_EQ(**answer, 5);
}

// An exception of the function reaches the coroutine that awaits it.
TEST(BlockingPool, RethrowsWhatTheFunctionThrew) {
    loop loop;
    blocking_pool pool{1};
    auto catches = [](blocking_pool* on) -> awaitable<std::string> {
        std::string caught;
        auto throws = []() -> int { throw std::runtime_error{"disk on fire"}; };
        try {
            const result<int> answer = co_await run_on(on, throws);
            caught = answer ? "a value" : "an error";
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        co_return caught;
    };
    EXPECT_EQ(loop.run_until_done(catches(&pool)), "disk on fire");
}

// One thread runs functions in the order they were given.
TEST(BlockingPool, KeepsTheOrderOnOneThread) {
    loop loop;
    blocking_pool pool{1};
    std::vector<int> order;
    auto appends = [](blocking_pool* on, std::vector<int>* into, int number) -> awaitable<void> {
        auto work = [into, number] { into->push_back(number); };
        const result<> done = co_await run_on(on, std::move(work));
        EXPECT_TRUE(done.has_value());
    };
    task_scope scope{loop};
    std::vector<int> expected;
    for (int number = 0; number < 200; ++number) {
        scope.spawn("append", appends(&pool, &order, number));
        expected.push_back(number);
    }
    loop.run_until_done(scope.join());
    EXPECT_EQ(order, expected);
}

// Several threads work at the same time: two functions that wait for each other both end.
TEST(BlockingPool, RunsFunctionsAtTheSameTime) {
    loop loop;
    blocking_pool pool{2};
    std::latch both{2};
    auto meets = [](blocking_pool* on, std::latch* met) -> awaitable<void> {
        auto work = [met] { met->arrive_and_wait(); };
        const result<> done = co_await run_on(on, std::move(work));
        EXPECT_TRUE(done.has_value());
    };
    task_scope scope{loop};
    scope.spawn("first", meets(&pool, &both));
    scope.spawn("second", meets(&pool, &both));
    loop.run_until_done(scope.join());
}

// When its caller resumes, nothing of a call is left on the pool: what the function held is free.
TEST(BlockingPool, LeavesNothingBehindOnItsThread) {
    loop loop;
    blocking_pool pool{2};
    auto looks = [](blocking_pool* on) -> awaitable<long> {
        const auto held = std::make_shared<int>(1);
        auto work = [shared = held] { return *shared; };
        const result<int> answer = co_await run_on(on, std::move(work));
        EXPECT_TRUE(answer.has_value());
        co_return held.use_count();
    };
    for (int i = 0; i < 200; ++i) {
        ASSERT_EQ(loop.run_until_done(looks(&pool)), 1);
    }
}

// A full queue refuses at once instead of growing.
TEST(BlockingPool, RefusesWhatItsQueueCantTake) {
    loop loop;
    blocking_pool pool{1, 1};
    std::latch started{1};
    std::latch release{1};
    std::optional<result<int>> running;
    std::optional<result<int>> queued;
    std::optional<result<int>> refused;
    auto runs = [&] {
        started.count_down();
        release.wait();
        return 1;
    };
    auto then = [](std::latch* reached, std::latch* next) -> awaitable<void> {
        reached->wait();
        next->count_down();
        co_return;
    };
    std::latch taken{1};
    task_scope scope{loop};
    // Tasks start in this order, so the thread has taken the first when the second is queued.
    scope.spawn("running", store_answer(&pool, &running, runs));
    scope.spawn("until it runs", then(&started, &taken));
    scope.spawn("queued", store_answer(&pool, &queued, [] { return 2; }));
    scope.spawn("refused", store_answer(&pool, &refused, [] { return 3; }));
    scope.spawn("let it end", then(&taken, &release));
    loop.run_until_done(scope.join());
    EXPECT_EQ(running->value(), 1);
    EXPECT_EQ(queued->value(), 2);
    EXPECT_EQ(refused->error(), errc::overloaded);
}

// A caller that is stopped leaves at once; the function runs to its end and its result is dropped.
TEST(BlockingPool, LetsItsCallersLeave) {
    std::latch started{1};
    std::latch release{1};
    std::latch gone{1};
    {
        loop loop;
        blocking_pool pool{1};
        auto work = [&started, &release, last_words = count_down_at_the_end(gone)] {
            started.count_down();
            release.wait();
            return last_words;
        };
        std::optional<result<farewell>> answer;
        auto asks = [](blocking_pool* on, decltype(work) asked, auto* into) -> awaitable<void> {
            into->emplace(co_await run_on(on, std::move(asked)));
        };
        auto stops = [](std::latch* reached, task_scope* stopped) -> awaitable<void> {
            reached->wait();
            stopped->request_stop();
            co_return;
        };
        task_scope scope{loop};
        // Tasks start in this order: the function runs when its caller is stopped.
        scope.spawn("asks", asks(&pool, std::move(work), &answer));
        scope.spawn("stops it", stops(&started, &scope));
        loop.run_until_done(scope.join());
        EXPECT_EQ(answer->error(), errc::cancelled);
        EXPECT_FALSE(gone.try_wait());
        release.count_down();
    }
    // The late result was freed with the loop at the latest.
    EXPECT_TRUE(gone.try_wait());
}

// A caller that is cancelled beforehand gives the pool nothing to do.
TEST(BlockingPool, StartsNothingForACancelledCaller) {
    loop loop;
    blocking_pool pool{1};
    bool has_run = false;
    const deadline passed{loop.now() - 1ms};
    auto work = [&has_run] { has_run = true; };
    const result<> answer = loop.run_until_done(with_deadline(passed, run_on(&pool, work)));
    EXPECT_EQ(answer.error(), errc::timed_out);
    const result<> after = loop.run_until_done(run_on(&pool, [] {}));
    EXPECT_TRUE(after.has_value());
    EXPECT_FALSE(has_run);
}

// A pool that ends waits for what runs and answers those whose functions it drops.
TEST(BlockingPool, AnswersForTheFunctionsItDrops) {
    loop loop;
    std::optional<blocking_pool> pool;
    pool.emplace(std::size_t{1});
    std::latch started{1};
    std::latch dropped{1};
    std::optional<result<int>> running;
    std::optional<result<int>> queued;
    task_scope scope{loop};
    scope.spawn("running", store_answer(&*pool, &running, [&] {
                    started.count_down();
                    // The pool drops what is queued before it waits for this.
                    dropped.wait();
                    return 1;
                }));
    scope.spawn(
        "queued",
        store_answer(
            &*pool,
            &queued,
            [last_words = count_down_at_the_end(dropped)] {
                ADD_FAILURE() << "the pool was to drop this";
                return 2;
            }
        )
    );
    auto ends_the_pool = [](std::optional<blocking_pool>* ended,
                            std::latch* busy) -> awaitable<void> {
        busy->wait();
        ended->reset();
        co_return;
    };
    scope.spawn("ends the pool", ends_the_pool(&pool, &started));
    loop.run_until_done(scope.join());
    EXPECT_EQ(running->value(), 1);
    EXPECT_EQ(queued->error(), errc::unavailable);
}

// Hundreds of callers on a few threads, some of whom leave early: each gets exactly one answer.
TEST(BlockingPool, AnswersEveryCallerOnce) {
    constexpr int callers = 400;
    loop loop;
    blocking_pool pool{4};
    std::vector<int> answers;
    auto asks = [](blocking_pool* on, std::vector<int>* into, int number) -> awaitable<void> {
        auto work = [number] { return std::make_shared<int>(number); };
        auto call = run_on(on, std::move(work));
        const coroutine_context context = co_await this_context();
        const deadline until = number % 3 == 0 ? deadline{context.where->now() + 100us}
                                               : deadline::never();
        const result<std::shared_ptr<int>> answer = co_await with_deadline(until, std::move(call));
        EXPECT_TRUE(answer.has_value() || answer.error() == errc::timed_out);
        into->push_back(answer ? **answer : number);
    };
    task_scope scope{loop};
    for (int number = 0; number < callers; ++number) {
        scope.spawn("caller", asks(&pool, &answers, number));
    }
    loop.run_until_done(scope.join());
    EXPECT_EQ(answers.size(), std::size_t{callers});
    EXPECT_EQ((std::set<int>{answers.begin(), answers.end()}).size(), std::size_t{callers});
}

}  // namespace
}  // namespace convene
