// SPDX-License-Identifier: Apache-2.0
// The simulated world: the same seed gives the same run, and its freedom ends where an executor's promises begin.
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/support/world.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

class counting_job final : public job {
   public:
    counting_job(std::vector<int>& ran, int number) : ran_(ran), number_(number) {}

    void run() noexcept override { ran_.push_back(number_); }

   private:
    std::vector<int>& ran_;
    const int number_;
};

awaitable<void> log_turns(std::string* log, char name, int turns) {
    for (int i = 0; i < turns; ++i) {
        log->push_back(name);
        const result<> yielded = co_await yield_turn();
        static_cast<void>(yielded);  // nobody cancels
    }
}

std::string interleaving(std::uint64_t seed) {
    sim_world world(seed);
    sim_executor& first = world.add_executor("first");
    sim_executor& second = world.add_executor("second");
    task_scope of_first(first);
    task_scope of_second(second);
    std::string log;
    of_first.spawn("a", log_turns(&log, 'a', 10));
    of_second.spawn("b", log_turns(&log, 'b', 10));
    world.run_for(1s);
    return log;
}

// Two workers are ready all the time: a seed decides who runs, always in the same way.
TEST(SimWorld, RepeatsARunFromItsSeed) {
    EXPECT_EQ(interleaving(7), interleaving(7));
    EXPECT_NE(interleaving(7), interleaving(8));
}

// Each worker gets its turns, and neither runs in one go: the draw is fair.
TEST(SimWorld, LetsEveryWorkerRun) {
    const std::string log = interleaving(1);
    EXPECT_EQ(std::ranges::count(log, 'a'), 10);
    EXPECT_EQ(std::ranges::count(log, 'b'), 10);
    EXPECT_NE(log.substr(0, 10), "aaaaaaaaaa");
    EXPECT_NE(log.substr(0, 10), "bbbbbbbbbb");
}

// Within one worker jobs keep the order in which they were posted: the executor promises it.
TEST(SimWorld, KeepsTheOrderOfOneWorkersJobs) {
    sim_world world(3);
    sim_executor& worker = world.add_executor("worker");
    std::vector<int> ran;
    counting_job first(ran, 1);
    counting_job second(ran, 2);
    counting_job third(ran, 3);
    worker.post(first);
    worker.post(second);
    worker.post(third);
    world.run_for(1s);
    EXPECT_EQ(ran, (std::vector<int>{1, 2, 3}));
}

// Nothing is ready: the clock goes straight to the next timer, and an hour costs no time.
TEST(SimWorld, MovesTheClockToTheNextTimer) {
    sim_world world(3);
    sim_executor& worker = world.add_executor("worker");
    task_scope scope(worker);
    monotonic_time woken{};
    auto sleep = [](sim_world* seen, monotonic_time* at) -> awaitable<void> {
        const result<> slept = co_await sleep_for(1h);
        static_cast<void>(slept);  // nobody cancels
        *at = seen->now();
    };
    const monotonic_time start = world.now();
    scope.spawn("sleep", sleep(&world, &woken));
    world.run_until([&] { return scope.size() == 0; }, 2h);
    EXPECT_EQ(woken - start, 1h);
}

// A frozen worker runs nothing, whatever is ready or due; thawed it goes on where it was.
TEST(SimWorld, RunsNothingOfAFrozenWorker) {
    sim_world world(3);
    sim_executor& worker = world.add_executor("worker");
    std::vector<int> ran;
    counting_job only(ran, 1);
    worker.post(only);
    worker.freeze();
    world.run_for(1min);
    EXPECT_TRUE(ran.empty());
    worker.thaw();
    world.run_for(1s);
    EXPECT_EQ(ran.size(), 1U);
}

// A killed worker's scope drops its coroutines as they are instead of insisting on being joined.
TEST(SimWorld, DropsTheWorkOfAKilledWorker) {
    sim_world world(3);
    sim_executor& worker = world.add_executor("worker");
    std::string log;
    {
        task_scope scope(worker);
        scope.spawn("endless", log_turns(&log, 'a', 1'000'000));
        world.run_until([&] { return log.size() > 5; }, 1s);
        worker.kill();
    }
    const std::string before = log;
    world.run_for(1s);
    EXPECT_EQ(log, before);
}

// Work that feeds itself without a tick of the clock would never end: the run fails instead.
TEST(SimWorld, FailsWhenTheClockStandsStill) {
    sim_world world(3);
    sim_executor& worker = world.add_executor("worker");
    task_scope scope(worker);
    std::string log;
    scope.spawn("spin", log_turns(&log, 'a', 1'000'000));
    world.run_for(1s);
    EXPECT_EQ(world.failures().size(), 1U);
    worker.kill();
}

}  // namespace
}  // namespace convene
