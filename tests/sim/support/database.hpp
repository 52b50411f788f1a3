// SPDX-License-Identifier: Apache-2.0
// The simulated database: sessions, operations applied one at a time, commits under their session's lock.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/lease.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "sim/support/connection.hpp"
#include "sim/support/host.hpp"
#include "sim/support/lock_service.hpp"
#include "sim/support/world.hpp"
#include "store/store.hpp"
#include "store/tables.hpp"

namespace convene {

/// What goes wrong with groups.
struct server_manners {
    per_mille is_busy;     ///< it fails for now, and nothing of it is stored
    per_mille stalls;      ///< it takes up to two seconds
    per_mille breaks_off;  ///< its session ends, before its commit or between that and its answer
    std::set<room_id>
        sulky_rooms;  ///< whose steps can't be stored with others, as with data that is refused
};

/// Applies what arrives to one set of tables, which all workers share.
///
/// *Lifetime*: as long as the world.
class sim_database {
   public:
    /// `data` outlives the database.
    sim_database(sim_world& world, tables& data);
    sim_database(const sim_database&) = delete;
    sim_database& operator=(const sim_database&) = delete;

    [[nodiscard]] sim_lock_service& locks() noexcept { return locks_; }

    [[nodiscard]] tables& data() noexcept { return data_; }

    // -- requests --------------------------------------------------------------------------------------

    /// Opens a session.
    /// *Errors*: `connection_lost` (down, or out of reach for 2 s), `incarnation_dead` (so it is
    /// recorded).
    awaitable<result<std::shared_ptr<sim_connection>>> connect(sim_host* host, connection_use use);

    /// Applies an operation, in a group of its own.
    [[nodiscard]] server_action run(std::shared_ptr<operation> request);

    /// Applies a commit, in a group of its own. Its session holds the room's lock until it is visible.
    [[nodiscard]] server_action commit(
        std::shared_ptr<detail::typed_operation<ops::commit>> request, lease_name room
    );

    /// Gives a room's lock back, in a group that follows the commit's.
    [[nodiscard]] server_action unlock(server_action action);

    /// Applies steps of different rooms, in one group: all that meet their compares, or none.
    using step = detail::typed_operation<ops::finish_set>;
    [[nodiscard]] server_action write_steps(std::vector<std::shared_ptr<step>> steps);

    // -- faults ----------------------------------------------------------------------------------------

    /// How it behaves from now on.
    void set_manners(const server_manners& manners) { manners_ = manners; }

    /// All sessions of these hosts end; no new one for a while.
    void restart(const std::vector<sim_host*>& hosts, std::chrono::nanoseconds down_for);

    [[nodiscard]] bool is_up() const noexcept { return world_.now() >= up_again_; }

    /// Since its start; whoever looks for dead workers gives the living time to connect again.
    [[nodiscard]] bool is_settled() const noexcept;

   private:
    result<> accept(sim_connection& connection);
    [[nodiscard]] bool is_recorded_dead(const incarnation_id& incarnation);
    void apply(operation& request);

    /// Runs `work` at the moment of a group's commit, unless something goes wrong with it. What takes `at_most` in fair
    /// weather may take longer.
    void run_group(
        const std::shared_ptr<sim_connection>& session,
        std::chrono::nanoseconds at_most,
        std::function<void()> work,
        const answer_function& answer
    );
    void break_off(sim_connection& session, const char* when);

    // fixed after construction
    sim_world& world_;
    tables& data_;

    sim_random random_;
    sim_lock_service locks_;
    server_manners manners_;
    bool was_restarted_ = false;
    monotonic_time up_again_{};
};

}  // namespace convene
