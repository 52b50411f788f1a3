// SPDX-License-Identifier: Apache-2.0
// Manual loop: running ready work and moving the clock.
#include "runtime/manual_loop.hpp"

#include "base/assert.hpp"

namespace convene {

void manual_loop::run_ready() {
    while (!abandoned_) {
        if (!ready_.empty()) {
            job& next = ready_.front();
            ready_.pop_front();
            next.run();
        } else if (timer* due = timers_.take_due(now_)) {
            due->expired();
        } else {
            return;
        }
    }
}

void manual_loop::advance(std::chrono::nanoseconds span) {
    const monotonic_time until = now_ + span;
    run_ready();
    while (timers_.is_due(until) && !abandoned_) {
        move_to_next_timer();
    }
    now_ = until;
}

void manual_loop::move_to_next_timer() {
    now_ = timers_.soonest();
    run_ready();
}

void manual_loop::run_task(awaitable<void> work) {
    task_scope scope{*this};
    scope.spawn("manual_loop.run", std::move(work));
    run_ready();
    while (scope.size() != 0) {
        CONVENE_ASSERT(
            !timers_.empty() && !abandoned_, "manual_loop: nothing is left that could end the work"
        );
        move_to_next_timer();
    }
}

}  // namespace convene
