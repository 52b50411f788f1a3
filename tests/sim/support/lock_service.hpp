// SPDX-License-Identifier: Apache-2.0
// The locks of the simulated database: held by sessions, free when the session ends, fair but for chance.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/support/connection.hpp"
#include "sim/support/random.hpp"
#include "sim/support/world.hpp"

namespace convene {

/// How a session waits for a lock.
enum class lock_wait : std::uint8_t {
    blocking,  ///< in the server: it gets the lock at the moment it is free
    polling,   ///< by trying again, some time after it hears that the lock is free
};

/// Knows which session holds and awaits which name. Runs at the server: callers are requests that arrived.
class sim_lock_service {
   public:
    explicit sim_lock_service(sim_world& world);

    /// Answers at once: success or `lease_busy`.
    void try_lock(
        const std::shared_ptr<sim_connection>& session,
        const std::string& name,
        const answer_function& answer
    );

    /// Answers when the lock was granted.
    void lock(
        const std::shared_ptr<sim_connection>& session,
        const std::string& name,
        lock_wait wait,
        answer_function answer
    );

    /// False if the session does not hold the name.
    bool unlock(sim_connection& session, const std::string& name);

    /// The session no longer wants the name: it stops waiting or, if it was faster, unlocks.
    void give_up(sim_connection& session, const std::string& name);

    /// The session ended.
    void free_all(sim_connection& session);

    [[nodiscard]] const sim_connection* holder(const std::string& name) const;

    struct held_lock {
        std::string name;
        const sim_connection* holder = nullptr;
    };

    [[nodiscard]] std::vector<held_lock> list_held() const;

   private:
    struct waiting {
        std::shared_ptr<sim_connection> session;
        lock_wait how = lock_wait::blocking;
        answer_function answer;
    };

    struct lock_state {
        std::shared_ptr<sim_connection> holder;
        std::vector<waiting> queue;
    };

    void grant(lock_state& state, const std::string& name, std::size_t place);
    void offer(const std::string& name);
    void tell_holder(const lock_state& state, const std::string& name);
    void leave_queue(lock_state& state, const sim_connection& session);
    [[nodiscard]] std::size_t draw_next(const lock_state& state);

    sim_world& world_;
    sim_random random_;
    std::map<std::string, lock_state> locks_;
};

}  // namespace convene
