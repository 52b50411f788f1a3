// SPDX-License-Identifier: Apache-2.0
// The manual loop: what it runs, how far its clock moves, and when it gives up.
#include "runtime/manual_loop.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Writes down the times it fires at.
class recording_timer final : public timer {
   public:
    recording_timer(manual_loop& loop, std::vector<monotonic_time>& fired)
        : loop_(loop), fired_(fired) {}

    void expired() noexcept override { fired_.push_back(loop_.now()); }

   private:
    manual_loop& loop_;
    std::vector<monotonic_time>& fired_;
};

awaitable<int> sleep_days(int days) {
    int slept = 0;
    for (; slept < days; ++slept) {
        const result<> night = co_await sleep_for(24h);
        EXPECT_TRUE(night.has_value());
    }
    co_return slept;
}

// Running work moves the clock from timer to timer, so that years pass in no time.
TEST(ManualLoop, MovesItsClockFromTimerToTimer) {
    manual_loop loop;
    const monotonic_time start = loop.now();
    EXPECT_EQ(loop.run(sleep_days(3650)), 3650);
    EXPECT_EQ(loop.now(), start + 24h * 3650);
}

// Advancing fires the timers on the way, each at its own time, and ends at the time it was told.
TEST(ManualLoop, FiresTimersOnTheWay) {
    manual_loop loop;
    const monotonic_time start = loop.now();
    std::vector<monotonic_time> fired;
    recording_timer soon{loop, fired};
    recording_timer late{loop, fired};
    recording_timer beyond{loop, fired};
    loop.arm(late, start + 2s);
    loop.arm(soon, start + 1s);
    loop.arm(beyond, start + 4s);
    loop.advance(3s);
    EXPECT_EQ(fired, (std::vector{start + 1s, start + 2s}));
    EXPECT_EQ(loop.now(), start + 3s);
    EXPECT_TRUE(beyond.is_armed());
}

// An armed timer that is armed again fires once, at the later call's time.
TEST(ManualLoop, MovesAnArmedTimer) {
    manual_loop loop;
    const monotonic_time start = loop.now();
    std::vector<monotonic_time> fired;
    recording_timer moved{loop, fired};
    loop.arm(moved, start + 1s);
    loop.arm(moved, start + 2s);
    loop.advance(9s);
    EXPECT_EQ(fired, std::vector{start + 2s});
}

// A timer that is destroyed does not fire.
TEST(ManualLoop, ForgetsDestroyedTimers) {
    manual_loop loop;
    std::vector<monotonic_time> fired;
    {
        recording_timer gone{loop, fired};
        loop.arm(gone, loop.now() + 1s);
    }
    loop.advance(9s);
    EXPECT_TRUE(fired.empty());
}

// An abandoned loop stops in the middle of its work, as a crashed process does.
TEST(ManualLoop, RunsNothingOnceAbandoned) {
    manual_loop loop;
    task_scope scope{loop};
    bool second_ran = false;
    auto crashes = [](manual_loop* crashing) -> awaitable<void> {
        crashing->abandon();
        co_return;
    };
    auto runs = [](bool* ran) -> awaitable<void> {
        *ran = true;
        co_return;
    };
    scope.spawn("crashes", crashes(&loop));
    scope.spawn("runs", runs(&second_ran));
    loop.run_ready();
    loop.advance(1s);
    EXPECT_FALSE(second_ran);
}

// Work that nothing can end any more is reported instead of waited for.
TEST(ManualLoopDeathTest, AbortsWhenNothingCanEndTheWork) {
    manual_loop loop;
    wait_flag never;
    EXPECT_DEATH(
        {
            const result<> ended = loop.run(until_set(&never));
            static_cast<void>(ended);
        },
        "nothing is left that could end the work"
    );
}

}  // namespace
}  // namespace convene
