// SPDX-License-Identifier: Apache-2.0
// The locks of the simulated database: held by sessions, nested, free when the session ends, fair but for chance.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/support/connection.hpp"
#include "sim/support/random.hpp"
#include "sim/support/world.hpp"

namespace convene {

/// Knows which session holds and awaits which name. Runs at the server: callers are groups of requests.
///
/// Locks take effect at once and are no part of a transaction. They nest: a session that takes a name twice has to give
/// it back twice.
class sim_lock_service {
   public:
    explicit sim_lock_service(sim_world& world);

    /// Answers at once: success or `lease_busy`. The holder is told that the name is wanted, and the session when it
    /// is given back: words that may get lost.
    void try_lock(
        const std::shared_ptr<sim_connection>& session,
        const std::string& name,
        const answer_function& answer
    );

    /// Answers when the lock was granted, or `store_busy` when the wait took too long. A session whose wait has ended may
    /// hold the name all the same, if it was granted in that moment.
    void lock(
        const std::shared_ptr<sim_connection>& session,
        const std::string& name,
        answer_function answer
    );

    /// Ends a wait as if it had taken too long.
    void stop_waiting(const sim_connection& session, const std::string& name);

    /// False if the session does not hold the name.
    bool unlock(sim_connection& session, const std::string& name);

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
        std::uint64_t ticket = 0;
        answer_function answer;
    };

    struct lock_state {
        std::shared_ptr<sim_connection> holder;
        int depth = 0;  ///< how often the holder took it
        std::vector<waiting> queue;
        std::vector<std::shared_ptr<sim_connection>> interested;  ///< told when it is given back
    };

    void grant_next(lock_state& state);
    void end_wait(const std::string& name, std::uint64_t ticket);
    void tell_holder(const lock_state& state, const std::string& name);
    void tell_interested(lock_state& state, const std::string& name);
    void leave(lock_state& state, const sim_connection& session);
    [[nodiscard]] std::size_t draw_next(const lock_state& state);

    sim_world& world_;
    sim_random random_;
    std::map<std::string, lock_state> locks_;
    std::uint64_t last_ticket_ = 0;
};

}  // namespace convene
