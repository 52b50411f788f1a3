// SPDX-License-Identifier: Apache-2.0
// The process's loop on the real clock: hand-over from other threads, timers, fairness and
// stopping.
#include "convene/loop.hpp"

#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Counts on the loop what other threads hand over, and tells when all of it has come.
struct arrivals {
    std::vector<int> last_of_thread;
    std::size_t missing = 0;
    wait_flag complete;
};

/// The n-th job of a thread.
class arrival final : public external_job {
   public:
    arrival(arrivals& into, std::size_t thread, int number)
        : into_(into), thread_(thread), number_(number) {}

    void run() noexcept override {
        EXPECT_EQ(into_.last_of_thread[thread_], number_ - 1);
        into_.last_of_thread[thread_] = number_;
        if (--into_.missing == 0) {
            into_.complete.set();
        }
    }

   private:
    arrivals& into_;
    std::size_t thread_;
    int number_;
};

/// Sets a flag of the loop from another thread.
class flag_setter final : public external_job {
   public:
    explicit flag_setter(wait_flag& flag) : flag_(flag) {}

    void run() noexcept override { flag_.set(); }

   private:
    wait_flag& flag_;
};

awaitable<monotonic_time> time_after(std::chrono::nanoseconds span) {
    const result<> slept = co_await sleep_for(span);
    EXPECT_TRUE(slept.has_value());
    const coroutine_context context = co_await this_context();
    co_return context.where->now();
}

// What several threads hand over arrives completely, in the order each of them gave it.
TEST(Loop, TakesOverWorkFromManyThreads) {
    constexpr std::size_t thread_count = 4;
    constexpr int jobs_of_each = 2000;
    loop loop;
    arrivals seen;
    seen.last_of_thread.assign(thread_count, -1);
    seen.missing = thread_count * jobs_of_each;
    {
        std::vector<std::jthread> threads;
        threads.reserve(thread_count);
        for (std::size_t thread = 0; thread < thread_count; ++thread) {
            threads.emplace_back([&, thread] {
                for (int number = 0; number < jobs_of_each; ++number) {
                    loop.post_external(std::make_unique<arrival>(seen, thread, number));
                }
            });
        }
        EXPECT_TRUE(loop.run_until_done(until_set(&seen.complete)).has_value());
    }
    EXPECT_EQ(seen.last_of_thread, std::vector<int>(thread_count, jobs_of_each - 1));
}

// A loop that sleeps in the operating system wakes for each single hand-over.
TEST(Loop, WakesUpForEveryHandOver) {
    loop loop;
    std::atomic<wait_flag*> wanted{nullptr};
    const std::jthread other{[&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            wait_flag* flag = wanted.exchange(nullptr);
            if (flag != nullptr) {
                loop.post_external(std::make_unique<flag_setter>(*flag));
            }
        }
    }};
    auto ask_again_and_again = [](std::atomic<wait_flag*>* asked) -> awaitable<int> {
        int answers = 0;
        for (; answers < 500; ++answers) {
            wait_flag answered;
            asked->store(&answered);
            const result<> waited = co_await answered.wait();
            EXPECT_TRUE(waited.has_value());
        }
        co_return answers;
    };
    EXPECT_EQ(loop.run_until_done(ask_again_and_again(&wanted)), 500);
}

// Timers fire in the order of their times, and none before its time.
TEST(Loop, FiresTimersInOrderAndNeverEarly) {
    loop loop;
    task_scope scope{loop};
    std::vector<int> order;
    auto sleeps = [](std::vector<int>* into, std::chrono::milliseconds span) -> awaitable<void> {
        const coroutine_context context = co_await this_context();
        const monotonic_time start = context.where->now();
        const monotonic_time woke = co_await time_after(span);
        EXPECT_GE(woke, start + span);
        into->push_back(static_cast<int>(span.count()));
    };
    scope.spawn("late", sleeps(&order, 6ms));
    scope.spawn("soon", sleeps(&order, 2ms));
    scope.spawn("between", sleeps(&order, 4ms));
    loop.run_until_done(scope.join());
    EXPECT_EQ(order, (std::vector{2, 4, 6}));
}

// A coroutine that never lets the queue run dry holds up neither timers nor other threads.
TEST(Loop, IsNotStarvedByABusyQueue) {
    loop loop;
    task_scope scope{loop};
    bool is_done = false;
    wait_flag handed_over;
    auto spins = [](const bool* done) -> awaitable<void> {
        while (!*done) {
            const result<> resumed = co_await yield_turn();
            EXPECT_TRUE(resumed.has_value());
        }
    };
    auto ends_it = [](bool* done, wait_flag* flag) -> awaitable<void> {
        const result<> woken = co_await flag->wait();
        const monotonic_time later = co_await time_after(1ms);
        *done = woken.has_value() && later > monotonic_time{};
    };
    scope.spawn("spins", spins(&is_done));
    scope.spawn("ends", ends_it(&is_done, &handed_over));
    const std::jthread other{[&] { loop.post_external(std::make_unique<flag_setter>(handed_over)); }
    };
    loop.run_until_done(scope.join());
    EXPECT_TRUE(is_done);
}

// A timer that is always due does not keep the loop from what other threads hand over.
TEST(Loop, IsNotStarvedByTimersThatAreAlwaysDue) {
    loop loop;
    task_scope scope{loop};
    wait_flag handed_over;
    auto polls = [](wait_flag* flag) -> awaitable<void> {
        while (!flag->is_set()) {
            const result<> slept = co_await sleep_for(0ns);
            EXPECT_TRUE(slept.has_value());
        }
    };
    scope.spawn("polls", polls(&handed_over));
    const std::jthread other{[&] { loop.post_external(std::make_unique<flag_setter>(handed_over)); }
    };
    loop.run_until_done(scope.join());
    EXPECT_TRUE(handed_over.is_set());
}

// A loop with nothing to do stops when another thread tells it to, and can run again.
TEST(Loop, StopsOnRequestOfAnotherThread) {
    loop loop;
    for (int i = 0; i < 50; ++i) {
        const std::jthread other{[&] { loop.stop(); }};
        loop.run();
    }
    EXPECT_GT(loop.run_until_done(time_after(0ms)), monotonic_time{});
}

// A stop that comes before the start is kept; it does not end work that is run until it is done.
TEST(Loop, KeepsAStopThatCameEarly) {
    loop loop;
    loop.stop();
    const monotonic_time start = loop.now();
    EXPECT_GE(loop.run_until_done(time_after(1ms)), start + 1ms);
    loop.run();
}

// Work that is still waiting when the loop ends is destroyed without being run.
TEST(Loop, DestroysWorkThatIsLeft) {
    class left_over final : public external_job {
       public:
        explicit left_over(std::shared_ptr<int> held) : held_(std::move(held)) {}

        void run() noexcept override { ++*held_; }

       private:
        std::shared_ptr<int> held_;
    };

    const auto held = std::make_shared<int>(0);
    {
        loop loop;
        loop.post_external(std::make_unique<left_over>(held));
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, 0);
}

}  // namespace
}  // namespace convene
