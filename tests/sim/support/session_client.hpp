// SPDX-License-Identifier: Apache-2.0
// A client of sessions: starts runs and reads them, leaves, comes back, cancels, and answers the tools that it has.
#pragma once

#include "convene/awaitable.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/support/client_calls.hpp"
#include "sim/support/session_story.hpp"

namespace convene {

/// One person, with one request at a time.
///
/// *Lifetime*: its coroutine runs in a scope that ends before it.
class sim_session_client {
   public:
    sim_session_client(
        sim_environment around,
        sim_cluster& cluster,
        sim_executor& where,
        int number,
        std::vector<room_id> rooms
    );

    /// Sends all its requests.
    [[nodiscard]] awaitable<void> run();

    [[nodiscard]] bool is_done() const noexcept { return is_done_; }

    /// Reads a run from its start to its end, on any worker.
    [[nodiscard]] awaitable<void> read_all(run_id run);

   private:
    /// A run as its client follows it.
    struct followed_run {
        run_id id;
        room_id room;
        std::size_t worker = 0;   ///< that it is read from
        std::int64_t seen = -1;   ///< the last frame
        bool is_starter = false;  ///< the worker waits for it
        bool is_whole = false;
    };

    [[nodiscard]] awaitable<void> do_something();
    [[nodiscard]] awaitable<void> ask();
    [[nodiscard]] awaitable<std::optional<followed_run>> start(turn_order order);
    [[nodiscard]] awaitable<std::optional<followed_run>> find_last_run(room_id room);
    [[nodiscard]] awaitable<void> follow(followed_run run);
    [[nodiscard]] awaitable<bool> read_on(followed_run* run);
    [[nodiscard]] awaitable<void> let_go(followed_run* run);
    [[nodiscard]] awaitable<void> come_back(followed_run* run);
    [[nodiscard]] awaitable<void> cancel(run_id run);
    [[nodiscard]] awaitable<void> send_message();
    [[nodiscard]] awaitable<void> queue_turn();
    [[nodiscard]] awaitable<void> read_any_run();

    [[nodiscard]] turn_order new_order(const room_id& room);
    [[nodiscard]] sim_story new_story();
    [[nodiscard]] wall_time some_time_soon();
    void take_pending_calls(const room_id& room, const run_frame& last);

    [[nodiscard]] const room_id& draw_room() { return rooms_[random_.index(rooms_.size())]; }

    // fixed after construction
    sim_environment around_;
    sim_cluster& cluster_;
    sim_executor& where_;
    const std::string name_;
    const int number_;
    const std::vector<room_id> rooms_;
    const sim_wall_clock clock_;

    sim_random random_;
    client_calls calls_;
    int asked_ = 0;
    std::map<room_id, std::vector<std::string>> pending_;  ///< calls of its own tool
    bool is_done_ = false;
};

}  // namespace convene
