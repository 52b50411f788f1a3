// SPDX-License-Identifier: Apache-2.0
// A worker's pool of connections to the simulated database.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sim/support/database.hpp"

namespace convene {

/// Opens up to `capacity` connections on demand and lends them one user at a time.
///
/// *Lifetime*: outlives what it lends.
class sim_connection_pool {
   public:
    sim_connection_pool(
        sim_database& database, sim_host& host, connection_use use, std::size_t capacity
    )
        : database_(database), host_(host), use_(use), capacity_(capacity) {}

    /// A lent connection, or a place for one. Given back when it is destroyed; a connection on which an
    /// answer is outstanding, or that is over, is closed instead.
    class lent {
       public:
        explicit lent(sim_connection_pool& pool) : pool_(&pool) { ++pool.open_; }

        lent(lent&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)),
              connection_(std::move(other.connection_)) {}

        lent& operator=(lent&&) = delete;
        ~lent();

        [[nodiscard]] sim_connection* operator->() const noexcept { return connection_.get(); }

        [[nodiscard]] const std::shared_ptr<sim_connection>& connection() const noexcept {
            return connection_;
        }

       private:
        friend class sim_connection_pool;

        sim_connection_pool* pool_;
        std::shared_ptr<sim_connection> connection_;
    };

    /// *Errors*: `unavailable` (closed), those of `sim_database::connect`. *Cancellation*: at any time.
    awaitable<result<lent>> take();

    /// Refuses from now on and closes what is idle; what is lent is closed when it comes back.
    void close();

   private:
    [[nodiscard]] std::shared_ptr<sim_connection> take_idle();

    // fixed after construction
    sim_database& database_;
    sim_host& host_;
    const connection_use use_;
    const std::size_t capacity_;

    bool is_closed_ = false;
    std::size_t open_ = 0;  ///< lent
    std::vector<std::shared_ptr<sim_connection>> idle_;
    wait_flag given_back_;
};

}  // namespace convene
