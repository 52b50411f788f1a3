// SPDX-License-Identifier: Apache-2.0
// One start of a simulated worker: the engine on its own executor, store and locks, and the calls it serves.
#pragma once

#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/support/auditor.hpp"
#include "sim/support/doubles.hpp"
#include "sim/support/host.hpp"
#include "sim/support/lock_manager.hpp"
#include "sim/support/scenario.hpp"
#include "sim/support/session_auditor.hpp"
#include "sim/support/session_doubles.hpp"
#include "sim/support/session_worker.hpp"
#include "sim/support/store.hpp"

namespace convene {

/// What all processes of a run share. *Lifetime*: outlives them.
struct sim_environment {
    sim_world& world;
    sim_database& database;
    sim_auditor& auditor;
    sim_session_auditor& session_auditor;
    sim_random& doubles;
    const sim_scenario& scenario;
};

/// A client's request as its process knows it.
class served_call {
   public:
    virtual ~served_call() = default;

    /// The process died: the client's connection is gone.
    virtual void lose() = 0;

    bool is_answered = false;
};

/// *Lifetime*: destroyed when it has ended, or after its executor was killed.
class sim_process {
   public:
    enum class phase : std::uint8_t {
        starting,
        serving,
        leaving,  ///< it was told to stop, or found out that it had been buried
        ended,
    };

    /// What a process can ask of the world around it; called from a step of its own.
    struct requests {
        std::function<void()> retire;  ///< it has ended in order
        std::function<void()> die;     ///< something in it kills it
        /// It tells another that deliveries of a room are its turn.
        std::function<void(const organization_id&, const room_id&, const incarnation_id&)> ring;
        /// It tells all others of runs and turns.
        std::function<void(const sim_session_news&)> announce;
    };

    sim_process(sim_environment& around, sim_host& host, std::string slot, requests ask);
    sim_process(const sim_process&) = delete;
    sim_process& operator=(const sim_process&) = delete;
    ~sim_process();

    [[nodiscard]] sim_host& host() const noexcept { return host_; }

    [[nodiscard]] room_kit& kit() noexcept { return *kit_; }

    /// *Requires*: a scenario with sessions.
    [[nodiscard]] sim_session_worker& sessions() noexcept { return *sessions_; }

    /// What another worker says of runs and turns; nothing: some of it may have been missed.
    void hear(const std::optional<sim_session_news>& news);

    [[nodiscard]] phase now_in() const noexcept { return phase_; }

    /// Asks it to stop in order.
    void leave() { leaves_.set(); }

    /// Runs a client's request in the background.
    void serve(std::shared_ptr<served_call> call, awaitable<void> work);

    /// The clients of all open calls lose their connections.
    void lose_calls();
    [[nodiscard]] std::size_t open_calls() const;

   private:
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> watch_burial();
    [[nodiscard]] result<> equip();
    [[nodiscard]] result<> equip_for_sessions();

    // fixed after construction
    sim_environment& around_;
    sim_host& host_;
    sim_random random_;
    sim_wall_clock clock_;
    sim_lock_manager locks_;
    sim_lock_manager claim_locks_;
    sim_store store_;
    double_context doubles_;
    std::unique_ptr<remote_hook_caller> hooks_;
    const requests ask_;
    std::unique_ptr<lane_bell> bell_;
    std::unique_ptr<room_kit> kit_;
    session_double_context session_doubles_;
    std::unique_ptr<sim_session_worker> sessions_;  ///< null: the scenario has none

    const std::string slot_;

    phase phase_ = phase::starting;
    wait_flag leaves_;
    std::vector<std::shared_ptr<served_call>> calls_;
    task_scope served_;
    task_scope watches_;
    task_scope main_;
};

}  // namespace convene
