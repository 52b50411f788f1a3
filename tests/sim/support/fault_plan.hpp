// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a run, and when: at any step of any worker, as time goes by, and at the marks in the code.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fault.hpp"
#include "sim/support/cluster.hpp"

namespace convene {

/// Draws faults until it is told to stop. *Lifetime*: as long as the world.
class sim_fault_plan final : public fault_injector {
   public:
    /// `only_kill_at`, if given, is the only fault: a kill before that step.
    sim_fault_plan(
        sim_environment around, sim_cluster& cluster, std::optional<std::uint64_t> only_kill_at
    );
    sim_fault_plan(const sim_fault_plan&) = delete;
    sim_fault_plan& operator=(const sim_fault_plan&) = delete;
    ~sim_fault_plan() override;

    void start();

    /// Nothing new goes wrong; what lasts for a time comes to its end.
    void stop() noexcept;

    /// When everything that was begun is over.
    [[nodiscard]] monotonic_time over_at() const noexcept { return over_at_; }

    [[nodiscard]] bool fires(std::string_view mark) noexcept override;

    [[nodiscard]] int faults() const noexcept { return faults_; }

    /// How many steps of workers were looked at.
    [[nodiscard]] std::uint64_t worker_steps() const noexcept { return worker_steps_; }

   private:
    struct mark_state {
        bool is_active = false;
        int left = 0;
    };

    void consider_step(sim_executor& about_to_run);
    void plan_next();
    void act(fault_kind kind, std::size_t worker);
    void freeze(std::size_t worker);
    void lose_sessions(std::size_t worker);
    void restart_database();
    [[nodiscard]] std::chrono::nanoseconds lasting(
        std::chrono::nanoseconds low, std::chrono::nanoseconds high
    );
    [[nodiscard]] std::size_t worker_of(const sim_executor& process) const;
    [[nodiscard]] bool may_act() const noexcept;

    // fixed after construction
    sim_environment around_;
    sim_cluster& cluster_;
    const std::optional<std::uint64_t> only_kill_at_;

    sim_random random_;
    std::uint64_t worker_steps_ = 0;
    bool is_stopped_ = false;
    int faults_ = 0;
    monotonic_time over_at_{};
    std::map<std::string, mark_state, std::less<>> marks_;
};

}  // namespace convene
