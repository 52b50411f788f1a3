// SPDX-License-Identifier: Apache-2.0
// The simulated database: sessions, operations applied one at a time, commits under their session's lock.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/lease.hpp"

#include <chrono>
#include <functional>
#include <memory>

#include "sim/support/connection.hpp"
#include "sim/support/host.hpp"
#include "sim/support/lock_service.hpp"
#include "sim/support/world.hpp"
#include "store/store.hpp"
#include "store/tables.hpp"

namespace convene {

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

    /// Applies an operation that arrived; sometimes the database is busy and does not.
    void run(operation& request, const answer_function& answer);

    /// Applies a commit that arrived on the session that holds its room's lock and, if asked, unlocks once
    /// it is visible.
    void commit(
        const std::shared_ptr<sim_connection>& session,
        const std::shared_ptr<operation>& request,
        const lease_name& room,
        unlock_mode after,
        const answer_function& answer
    );

    // -- faults ----------------------------------------------------------------------------------------

    /// How often an operation answers `store_busy` without being applied.
    void set_busy(per_mille often) noexcept { busy_ = often; }

    /// All sessions of these hosts end; no new one for a while.
    void restart(
        const std::vector<std::unique_ptr<sim_host>>& hosts, std::chrono::nanoseconds down_for
    );

    [[nodiscard]] bool is_up() const noexcept { return world_.now() >= up_again_; }

    /// Since its start; whoever looks for dead workers gives the living time to connect again.
    [[nodiscard]] bool is_settled() const noexcept;

   private:
    result<> accept(sim_connection& connection);
    [[nodiscard]] bool is_recorded_dead(const incarnation_id& incarnation);
    void apply(operation& request);
    void unlock_later(
        const std::shared_ptr<sim_connection>& session,
        const std::string& name,
        const answer_function& answer
    );

    // fixed after construction
    sim_world& world_;
    tables& data_;

    sim_random random_;
    sim_lock_service locks_;
    per_mille busy_;
    bool was_restarted_ = false;
    monotonic_time up_again_{};
};

}  // namespace convene
