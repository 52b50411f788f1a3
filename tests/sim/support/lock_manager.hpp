// SPDX-License-Identifier: Apache-2.0
// A worker's lock manager in the simulation: leases on database sessions, lost when the session ends.
#pragma once

#include "convene/lease.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/support/connection_pool.hpp"

namespace convene {

/// One worker's place in the line for a name; the first in line may ask the database.
///
/// Sessions nest locks, so that a name must have one owner in the process before the database is asked.
class sim_local_turns {
   public:
    class turn {
       public:
        turn(sim_local_turns& turns, const lease_name& name);
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn();

        [[nodiscard]] const lease_name& name() const noexcept { return name_; }

        [[nodiscard]] bool is_awaited_by_others() const;

        [[nodiscard]] wait_flag::wait_operation wait() noexcept { return came_.wait(); }

       private:
        friend class sim_local_turns;

        sim_local_turns& turns_;
        const lease_name name_;
        wait_flag came_;
    };

    [[nodiscard]] bool is_taken(const lease_name& name) const { return lines_.contains(name); }

    [[nodiscard]] bool is_empty() const noexcept { return lines_.empty(); }

    /// Never set: it wakes who waits for a turn to end.
    [[nodiscard]] wait_flag& left() noexcept { return left_; }

   private:
    std::map<lease_name, std::deque<turn*>> lines_;  ///< no empty lines
    wait_flag left_;
};

/// A lock on a session.
class sim_lease final : public lease {
   public:
    /// `own` is the connection if no other lease shares it.
    sim_lease(
        std::unique_ptr<sim_local_turns::turn> turn,
        sim_lock_service& service,
        std::shared_ptr<sim_connection> session,
        std::optional<sim_connection_pool::lent> own
    );
    ~sim_lease() override;

    [[nodiscard]] const lease_name& name() const noexcept override { return name_; }

    [[nodiscard]] lease_state state() const noexcept override;
    [[nodiscard]] bool is_wanted() const noexcept override;

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] awaitable<result<>> release() override;

    /// The session whose lock this is, for the commit that it protects.
    [[nodiscard]] const std::shared_ptr<sim_connection>& session() const noexcept {
        return session_;
    }

    /// The server unlocked by itself after a commit: nothing is left to give back.
    void note_released() noexcept;

   private:
    void give_back() noexcept;

    // fixed after construction
    const lease_name name_;
    const std::string key_;
    sim_lock_service& service_;
    const std::shared_ptr<sim_connection> session_;

    // Given back in the opposite order: the connection first, then the turn.
    std::unique_ptr<sim_local_turns::turn> turn_;
    std::optional<sim_connection_pool::lent> own_;
    bool is_released_ = false;
    cancel_source lost_;
};

/// Room locks take a connection each, which carries the commit; all others share one.
class sim_lock_manager final : public lock_manager {
   public:
    sim_lock_manager(sim_database& database, sim_host& host);

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override;

    [[nodiscard]] bool is_process_local() const noexcept override { return false; }

    [[nodiscard]] awaitable<result<>> close(deadline until) override;

   private:
    using acquired = result<std::unique_ptr<lease>>;

    enum class patience : std::uint8_t { none, endless };

    awaitable<acquired> acquire_in_turn(lease_name name);
    awaitable<acquired> lock_in_turn(
        std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
    );
    awaitable<acquired> lock_own_session(
        std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
    );
    awaitable<acquired> lock_shared_session(
        std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
    );
    awaitable<result<>> lock(
        std::shared_ptr<sim_connection> session, lease_name name, patience how_long, lock_wait wait
    );

    // fixed after construction
    sim_database& database_;
    sim_host& host_;

    cancel_source closing_;
    sim_connection_pool commits_;
    std::shared_ptr<sim_connection> shared_;
    sim_local_turns turns_;
};

}  // namespace convene
