// SPDX-License-Identifier: Apache-2.0
// The sessions of one simulated worker, put together and let go as the server does.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"

#include <cstdint>
#include <functional>
#include <optional>

#include "agent/session/run_feed.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/session_service.hpp"

namespace convene {

/// What workers tell each other of sessions.
struct sim_session_news {
    enum class kind : std::uint8_t {
        runs,      ///< there is more of one to read
        turns,     ///< there is one to be run
        run_ends,  ///< somebody wants one to end
    };

    kind what = kind::turns;
    run_id run{};
};

/// *Lifetime*: stopped before it is destroyed, unless its executor was killed; the kit outlives it.
class sim_session_worker {
   public:
    struct parts {
        executor* where = nullptr;
        room_kit* kit = nullptr;
        lock_manager* locks = nullptr;
        const wall_clock* clock = nullptr;
        random_source* random = nullptr;
        std::function<void(const sim_session_news&)> announce;
    };

    sim_session_worker(const parts& with, const session_settings& settings);
    sim_session_worker(const sim_session_worker&) = delete;
    sim_session_worker& operator=(const sim_session_worker&) = delete;

    void start() { service_.start_runner(); }

    /// Before the kit is closed: what is driven is handed over.
    [[nodiscard]] awaitable<void> stop();

    /// Nothing: some of it may have been missed.
    void hear(const std::optional<sim_session_news>& news);

    /// A message that was sent into a session becomes a turn.
    [[nodiscard]] awaitable<result<bool>> leave_to_driver(agent_request request);

    [[nodiscard]] session_service& service() noexcept { return service_; }

    /// What follows `after` in a run, read to its end or for a while.
    /// *Errors*: as `run_feeds::open` and `run_reader::next`.
    [[nodiscard]] awaitable<result<run_page>> read(
        organization_id organization, run_id run, std::int64_t after
    );

   private:
    [[nodiscard]] session_parts parts_of(const parts& with);

    // fixed after construction
    executor& where_;
    room_kit& kit_;
    const std::function<void(const sim_session_news&)> announce_;

    run_feeds feeds_;
    run_log streams_;
    session_service service_;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene
