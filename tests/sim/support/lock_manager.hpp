// SPDX-License-Identifier: Apache-2.0
// A worker's lock manager in the simulation: leases on database sessions, lost when the session ends.
#pragma once

#include "convene/lease.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/support/connection_pool.hpp"

namespace convene {

class sim_lock_manager;

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
        sim_lock_manager& manager,
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

    /// Gives the lock back, as a group of a request.
    [[nodiscard]] server_action unlock() const;

    /// A request of the holder had `unlock` in it: only the connection is left to give back.
    void released_by(const result<>& unlocked);

    [[nodiscard]] const std::string& key() const noexcept { return key_; }

    /// Somebody in another process waits.
    void want();

   private:
    void give_back() noexcept;

    // fixed after construction
    const lease_name name_;
    const std::string key_;
    sim_lock_manager& manager_;
    const std::shared_ptr<sim_connection> session_;

    // Given back in the opposite order: the connection first, then the turn.
    std::unique_ptr<sim_local_turns::turn> turn_;
    std::optional<sim_connection_pool::lent> own_;
    bool is_wanted_elsewhere_ = false;
    bool is_released_ = false;
    cancel_source lost_;
};

/// Room locks take a connection each, which carries the commit; all others share one, on which nobody waits inside the
/// server.
class sim_lock_manager final : public lock_manager {
   public:
    sim_lock_manager(sim_database& database, sim_host& host);

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override;

    struct entered {
        std::unique_ptr<sim_lease> held;
        std::vector<result<>> answers;  ///< of what was read under the lock
    };

    /// Takes a room's lock, and reads behind it in the same round trip, in groups of their own.
    /// *Errors*: as `acquire`.
    [[nodiscard]] awaitable<result<entered>> enter(
        lease_name room, std::vector<server_action> reads, deadline until
    );

    [[nodiscard]] bool is_process_local() const noexcept override { return false; }

    [[nodiscard]] awaitable<result<>> close(deadline until) override;

   private:
    friend class sim_lease;

    using acquired = result<std::unique_ptr<lease>>;
    using waiters = std::multimap<std::string, wait_flag*>;

    awaitable<acquired> acquire_in_turn(lease_name name);
    awaitable<acquired> try_in_turn(std::unique_ptr<sim_local_turns::turn> turn);
    awaitable<result<entered>> enter_in_turn(lease_name room, std::vector<server_action> reads);
    awaitable<result<std::shared_ptr<sim_connection>>> shared_session();
    awaitable<result<std::shared_ptr<sim_connection>>> lock_shared(std::string key);
    void hear_wanted(const std::string& key);
    void hear_released(const std::string& key);

    // fixed after construction
    sim_database& database_;
    sim_host& host_;

    cancel_source closing_;
    sim_connection_pool commits_;
    std::size_t parked_ = 0;
    std::shared_ptr<sim_connection> shared_;
    std::set<sim_lease*> held_;  ///< of the shared session
    waiters waiting_;
    sim_local_turns turns_;
};

}  // namespace convene
