// SPDX-License-Identifier: Apache-2.0
// One simulated process's queues, and the step that is drawn from them.
#include "sim/support/executor.hpp"

#include <array>
#include <utility>

#include "base/assert.hpp"

namespace convene {

sim_executor::sim_executor(std::string name, const monotonic_time& now)
    : name_(std::move(name)), now_(now) {}

void sim_executor::post_external(std::unique_ptr<external_job> work) {
    arrive([shared = std::shared_ptr<external_job>(std::move(work))] { shared->run(); });
}

void sim_executor::arrive(std::function<void()> what) {
    if (state_ != state::killed) {
        arrived_.push_back(std::move(what));
    }
}

bool sim_executor::has(source kind) const noexcept {
    switch (kind) {
        case source::job:
            return !ready_.empty();
        case source::timer:
            return !timers_.empty() && timers_.soonest() <= now_;
        case source::arrival:
            return !arrived_.empty();
    }
    return false;
}

bool sim_executor::is_runnable() const noexcept {
    return state_ == state::running &&
           (has(source::job) || has(source::timer) || has(source::arrival));
}

monotonic_time sim_executor::next_timer() const noexcept {
    const bool none = state_ != state::running || timers_.empty();
    return none ? monotonic_time::max() : timers_.soonest();
}

sim_executor::source sim_executor::draw_source(sim_random& random) const noexcept {
    std::array<source, 3> candidates{};
    std::size_t count = 0;
    for (const source kind : {source::job, source::timer, source::arrival}) {
        if (has(kind)) {
            candidates[count++] = kind;
        }
    }
    return candidates[random.index(count)];
}

void sim_executor::run_one(sim_random& random) {
    CONVENE_ASSERT(is_runnable(), "a step of an executor that has none");
    switch (draw_source(random)) {
        case source::job: {
            job& next = ready_.front();
            ready_.pop_front();
            next.run();
            return;
        }
        case source::timer:
            timers_.take_due(now_)->expired();
            return;
        case source::arrival: {
            const std::function<void()> what = std::move(arrived_.front());
            arrived_.pop_front();
            what();
            return;
        }
    }
}

void sim_executor::freeze() noexcept {
    if (state_ == state::running) {
        state_ = state::frozen;
    }
}

void sim_executor::thaw() noexcept {
    if (state_ == state::frozen) {
        state_ = state::running;
    }
}

void sim_executor::kill() noexcept {
    state_ = state::killed;
    arrived_.clear();
}

}  // namespace convene
