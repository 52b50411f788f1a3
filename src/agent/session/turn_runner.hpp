// SPDX-License-Identifier: Apache-2.0
// Takes the turns that nobody's request drives as they fall due, as many at once as this worker has hands for (N1, N2).
#pragma once

#include "convene/lease.hpp"
#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "store/operations/sessions.hpp"

namespace convene {

/// The lease under which a session is driven.
[[nodiscard]] lease_name name_of_session(const organization_id& organization, const room_id& room);

/// *Thread safety*: loop only. *Lifetime*: outlives the scope that it is given.
class turn_runner {
   public:
    /// Owns none of them; they outlive the runner.
    struct parts {
        executor* where = nullptr;
        room_kit* kit = nullptr;
        lock_manager* locks = nullptr;
        const wall_clock* clock = nullptr;
        task_scope* scope = nullptr;

        /// Runs a turn, whose session's lease is held, for as long as it is driven.
        std::function<awaitable<void>(std::unique_ptr<lease> held, session_turn turn)> run;
    };

    /// `concurrency`: turns at once. `poll_interval`: where the news of a turn was lost.
    turn_runner(parts with, std::size_t concurrency, std::chrono::milliseconds poll_interval)
        : with_(std::move(with)), concurrency_(concurrency), poll_interval_(poll_interval) {}

    /// What others left is looked for at once.
    void start();

    /// There may be turns to run.
    void wake() noexcept { wake_.set(); }

    /// Takes no more.
    void stop_taking() noexcept { is_stopping_ = true; }

   private:
    [[nodiscard]] awaitable<void> run_turns();
    [[nodiscard]] awaitable<deadline> next_look();
    [[nodiscard]] awaitable<result<>> take_due_turns();
    [[nodiscard]] awaitable<void> run_turn(std::unique_ptr<lease> held, session_turn turn);

    // fixed after construction
    const parts with_;
    const std::size_t concurrency_;
    const std::chrono::milliseconds poll_interval_;

    // touched on the loop only
    std::size_t taken_ = 0;
    bool is_stopping_ = false;
    wait_flag wake_;
};

}  // namespace convene
