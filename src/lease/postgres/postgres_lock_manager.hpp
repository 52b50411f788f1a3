// SPDX-License-Identifier: Apache-2.0
// The lock manager of many processes: a line of our own in front of each lock of the database.
#pragma once

#include "convene/postgres_lock_manager.hpp"
#include "convene/task_scope.hpp"

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "lease/postgres/death_watch.hpp"
#include "lease/postgres/lease_capacity.hpp"
#include "lease/postgres/lease_session.hpp"
#include "postgres/connection_pool.hpp"
#include "postgres/room_entry.hpp"

namespace convene::postgres {

/// First come first served within the process: the table of this process comes first, so one waiter for each name
/// stands before the database, and a lock is never asked for twice on one session.
class advisory_lock_manager final : public postgres_lock_manager, public room_locker {
   public:
    advisory_lock_manager(loop& where, const postgres_lock_options& options);
    ~advisory_lock_manager() override;

    [[nodiscard]] awaitable<result<>> start() override;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override;
    [[nodiscard]] awaitable<result<entered>> enter(lease_name room, request reads, deadline until)
        override;

    [[nodiscard]] std::vector<lease_info> list() const override;
    [[nodiscard]] awaitable<result<>> revoke(lease_name name, deadline until) override;

    [[nodiscard]] bool is_process_local() const noexcept override { return false; }

    [[nodiscard]] std::size_t connections() const noexcept override {
        return rooms_.open() + (session_.is_connected() ? 1 : 0) + (bus_is_open_ ? 1 : 0);
    }

    [[nodiscard]] awaitable<result<>> close(deadline until) override;

   private:
    class long_lease;
    class room_lease;

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire_long(lease_name name);
    [[nodiscard]] awaitable<result<entered>> enter_room(lease_name room, request reads);
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> hold(
        std::unique_ptr<lease> place, lease_name name
    );
    [[nodiscard]] awaitable<void> listen();
    void hear(const notification& said);
    void lose_all();

    // fixed after construction
    loop& where_;
    connector opener_;

    std::unique_ptr<lock_manager> local_;  ///< the line of this process in front of each lock
    lease_session session_;
    connection_pool rooms_;
    death_watch deaths_;
    lease_capacity capacity_;
    const std::size_t max_parked_;  ///< room waits that stand in the server at once
    std::size_t parked_ = 0;
    std::set<long_lease*> held_;
    std::multimap<std::int64_t, wait_flag*> waiting_;  ///< for a key that another process holds
    bool bus_is_open_ = false;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene::postgres
