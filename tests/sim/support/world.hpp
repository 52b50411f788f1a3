// SPDX-License-Identifier: Apache-2.0
// The simulated world: one clock, one generator, and the processes and events between which it draws.
#pragma once

#include "convene/time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sim/support/executor.hpp"
#include "sim/support/random.hpp"

namespace convene {

/// Whether the run is written down for people. The run itself is the same either way.
enum class trace_mode { off, on };

/// Runs everything of one seed, one step after another.
///
/// A step is one job, timer or arrival of one process, or one event of the world (a message that arrives at
/// the database, a crash that was planned). The next step is drawn among all that could happen now; when
/// nothing can, time moves to the next thing that will.
class sim_world {
   public:
    explicit sim_world(std::uint64_t seed, trace_mode mode = trace_mode::off);
    sim_world(const sim_world&) = delete;
    sim_world& operator=(const sim_world&) = delete;

    [[nodiscard]] monotonic_time now() const noexcept { return now_; }

    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return now_ - started_; }

    [[nodiscard]] sim_random& random() noexcept { return random_; }

    /// A new process. It lives as long as the world.
    sim_executor& add_executor(std::string name);

    /// Does something outside of every process, later. Events of one time happen in the order they were
    /// planned.
    void after(std::chrono::nanoseconds span, std::function<void()> event);

    /// Called before each step of a process; it may freeze or kill the process that it is given, and the step
    /// is then not run.
    void before_each_step(std::function<void(sim_executor&)> hook) {
        before_step_ = std::move(hook);
    }

    /// Runs until `done` holds, something failed, or `limit` has passed. True if `done` holds.
    bool run_until(const std::function<bool()>& done, std::chrono::nanoseconds limit);

    /// Runs for a span of time, or until something fails.
    void run_for(std::chrono::nanoseconds span);

    // -- what was seen -------------------------------------------------------------------------------

    /// Records a broken promise; the run ends after this step.
    void fail(std::string what);

    [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }

    /// A line of the trace. Not formatted unless somebody will read it.
    template <class... Args>
    void note(fmt::format_string<Args...> format, Args&&... args) {
        if (mode_ == trace_mode::on) {
            write_line(fmt::format(format, std::forward<Args>(args)...));
        }
    }

    [[nodiscard]] const std::vector<std::string>& trace() const noexcept { return lines_; }

    /// A number that differs when two runs differ in any step.
    [[nodiscard]] std::uint64_t trace_hash() const noexcept { return hash_; }

    void mix(std::uint64_t value) noexcept;

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

   private:
    struct planned {
        monotonic_time at;
        std::uint64_t order;
        std::function<void()> event;

        friend bool operator>(const planned& a, const planned& b) noexcept {
            return std::pair{a.at, a.order} > std::pair{b.at, b.order};
        }
    };

    /// False when nothing is left that could ever happen before `until`; the clock is then there.
    bool step(monotonic_time until);
    void run_event();
    void run_process(std::size_t position);
    [[nodiscard]] bool has_due_event() const noexcept;
    [[nodiscard]] monotonic_time next_time() const noexcept;
    void write_line(std::string text);

    // fixed after construction
    const trace_mode mode_;
    const monotonic_time started_{std::chrono::hours{1000}};

    sim_random random_;
    monotonic_time now_ = started_;
    std::vector<std::unique_ptr<sim_executor>> executors_;
    std::vector<std::size_t> runnable_;  ///< scratch of `step`
    std::priority_queue<planned, std::vector<planned>, std::greater<>> events_;
    std::uint64_t planned_count_ = 0;
    std::function<void(sim_executor&)> before_step_;

    std::uint64_t steps_ = 0;
    std::uint64_t steps_at_this_time_ = 0;
    std::uint64_t hash_ = 0;
    std::vector<std::string> failures_;
    std::vector<std::string> lines_;
};

/// Wall time in a world; a worker's may be wrong by a constant.
class sim_wall_clock final : public wall_clock {
   public:
    explicit sim_wall_clock(const sim_world& world, std::chrono::microseconds error = {})
        : world_(world), error_(error) {}

    [[nodiscard]] wall_time now() const override;

   private:
    const sim_world& world_;
    const std::chrono::microseconds error_;
};

}  // namespace convene
