// SPDX-License-Identifier: Apache-2.0
// The executor of one simulated process: it runs one step when the world says so, and can be frozen or killed.
#pragma once

#include "convene/executor.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "sim/support/random.hpp"

namespace convene {

/// A queue of jobs, timers and arrivals, of which the world runs one at a time.
///
/// Jobs run in the order they were posted, timers in the order of their times, arrivals in the order they
/// came. Which of the three comes next is drawn, as nothing promises more than that.
/// *Lifetime*: the world keeps it to the end of the run, also when its process was killed: what still
/// arrives for it goes nowhere.
class sim_executor final : public executor {
   public:
    /// `now` is the world's time and outlives the executor.
    sim_executor(std::string name, const monotonic_time& now);

    // -- executor ------------------------------------------------------------------------------------

    void post(job& work) noexcept override { ready_.push_back(work); }

    void post_external(std::unique_ptr<external_job> work) override;

    void arm(timer& t, monotonic_time at) noexcept override { timers_.arm(t, at); }

    [[nodiscard]] monotonic_time now() const noexcept override { return now_; }

    [[nodiscard]] bool is_abandoned() const noexcept override { return state_ == state::killed; }

    // -- the world's side ----------------------------------------------------------------------------

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Something from outside, as a socket would bring it.
    void arrive(std::function<void()> what);

    /// True if a step could be run now.
    [[nodiscard]] bool is_runnable() const noexcept;

    /// The time at which a timer makes it runnable; `monotonic_time::max()` if none would.
    [[nodiscard]] monotonic_time next_timer() const noexcept;

    /// Runs one job, timer or arrival. *Requires*: `is_runnable()`.
    void run_one(sim_random& random);

    /// Nothing runs until `thaw`; what arrives waits.
    void freeze() noexcept;
    void thaw() noexcept;

    [[nodiscard]] bool is_frozen() const noexcept { return state_ == state::frozen; }

    /// From now on nothing runs: what is left may be dropped. Never from a job of this executor.
    void kill() noexcept;

   private:
    enum class state { running, frozen, killed };
    enum class source { job, timer, arrival };

    [[nodiscard]] bool has(source kind) const noexcept;
    [[nodiscard]] source draw_source(sim_random& random) const noexcept;

    // fixed after construction
    const std::string name_;
    const monotonic_time& now_;

    state state_ = state::running;
    job_queue ready_;
    timer_queue timers_;
    std::deque<std::function<void()>> arrived_;
};

}  // namespace convene
