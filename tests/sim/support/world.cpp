// SPDX-License-Identifier: Apache-2.0
// The simulated world's steps.
#include "sim/support/world.hpp"

#include <algorithm>

namespace convene {

namespace {

/// So many steps without a tick of the clock are work that feeds itself for ever.
constexpr std::uint64_t max_steps_at_one_time = 200'000;

}  // namespace

sim_world::sim_world(std::uint64_t seed, trace_mode mode) : mode_(mode), random_(seed) {}

sim_executor& sim_world::add_executor(std::string name) {
    executors_.push_back(std::make_unique<sim_executor>(std::move(name), now_));
    return *executors_.back();
}

void sim_world::after(std::chrono::nanoseconds span, std::function<void()> event) {
    events_.push({now_ + span, planned_count_++, std::move(event)});
}

bool sim_world::run_until(const std::function<bool()>& done, std::chrono::nanoseconds limit) {
    const monotonic_time until = now_ + limit;
    while (!done()) {
        if (!failures_.empty() || !step(until)) {
            return false;
        }
    }
    return true;
}

void sim_world::run_for(std::chrono::nanoseconds span) {
    const monotonic_time until = now_ + span;
    while (failures_.empty() && step(until)) {
    }
}

bool sim_world::step(monotonic_time until) {
    runnable_.clear();
    for (std::size_t position = 0; position < executors_.size(); ++position) {
        if (executors_[position]->is_runnable()) {
            runnable_.push_back(position);
        }
    }
    const std::size_t choices = runnable_.size() + (has_due_event() ? 1 : 0);
    if (choices == 0) {
        const monotonic_time next = next_time();
        now_ = std::min(next, until);
        steps_at_this_time_ = 0;
        return next <= until;
    }

    ++steps_;
    if (++steps_at_this_time_ > max_steps_at_one_time) {
        fail("the clock stands still while work goes on");
    }
    const std::size_t choice = random_.index(choices);
    if (choice < runnable_.size()) {
        run_process(runnable_[choice]);
    } else {
        run_event();
    }
    return true;
}

void sim_world::run_process(std::size_t position) {
    sim_executor& chosen = *executors_[position];
    if (before_step_) {
        before_step_(chosen);
    }
    if (chosen.is_runnable()) {
        mix(position);
        chosen.run_one(random_);
    }
}

void sim_world::run_event() {
    mix(events_.top().order);
    const std::function<void()> event = events_.top().event;
    events_.pop();
    event();
}

bool sim_world::has_due_event() const noexcept {
    return !events_.empty() && events_.top().at <= now_;
}

monotonic_time sim_world::next_time() const noexcept {
    monotonic_time next = events_.empty() ? monotonic_time::max() : events_.top().at;
    for (const auto& process : executors_) {
        next = std::min(next, process->next_timer());
    }
    return next;
}

void sim_world::fail(std::string what) {
    note("FAILED: {}", what);
    failures_.push_back(std::move(what));
}

void sim_world::mix(std::uint64_t value) noexcept {
    const auto time = static_cast<std::uint64_t>(now_.time_since_epoch().count());
    hash_ = sim_random{hash_ ^ value ^ (time << 8U)}.next();
}

void sim_world::write_line(std::string text) {
    const double seconds = std::chrono::duration<double>(elapsed()).count();
    lines_.push_back(fmt::format("{:>11.6f} {}", seconds, text));
}

wall_time sim_wall_clock::now() const {
    // Some day in 2030; only differences mean anything.
    constexpr wall_time first_day{std::chrono::microseconds{1'900'000'000'000'000}};
    const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(world_.elapsed());
    return first_day + elapsed + error_;
}

}  // namespace convene
