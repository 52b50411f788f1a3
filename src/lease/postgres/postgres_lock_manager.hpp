// SPDX-License-Identifier: Apache-2.0
// The lock manager of many processes: a line of our own in front of each lock of the database.
#pragma once

#include "convene/postgres_lock_manager.hpp"
#include "convene/task_scope.hpp"

#include <boost/intrusive/list.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "lease/postgres/death_watch.hpp"
#include "lease/postgres/forced_release.hpp"
#include "lease/postgres/lease_bus.hpp"
#include "lease/postgres/lease_capacity.hpp"
#include "lease/postgres/lease_session.hpp"
#include "lease/waiting_line.hpp"
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
    [[nodiscard]] awaitable<result<std::vector<worker_lease>>> list_all(deadline until) override;
    [[nodiscard]] awaitable<result<lease_release>> take_away(
        lease_name name, stubborn_holder otherwise, deadline until
    ) override;

    [[nodiscard]] bool is_process_local() const noexcept override { return false; }

    [[nodiscard]] std::size_t connections() const noexcept override {
        return rooms_.open() + (session_.is_connected() ? 1 : 0) + (bus_.is_open() ? 1 : 0);
    }

    [[nodiscard]] awaitable<result<>> close(deadline until) override;

   private:
    class long_lease;
    class room_lease;
    using room_lease_hook = boost::intrusive::list_base_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
    using room_leases = boost::intrusive::list<
        room_lease,
        boost::intrusive::base_hook<room_lease_hook>,
        boost::intrusive::constant_time_size<false>>;

    /// A caller that waits for a key that another process holds.
    struct lock_wait {
        monotonic_time since{};
        monotonic_time tried_at{};  ///< or when somebody before it could have taken the lock
        wait_flag turn;             ///< set when the lock got free and nobody has waited longer
    };

    enum class standing {
        holds,
        lost_its_session,  ///< and has not let go of it in this process
        waits,             ///< for another worker
    };

    struct own_lease {
        lease_info info;
        standing how{};
    };

    /// *Errors*: `unavailable` before `start`, `lease_capacity`.
    [[nodiscard]] result<> may_hold_more() const;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire_long(lease_name name);
    [[nodiscard]] awaitable<result<entered>> enter_room(lease_name room, request reads);
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> hold(
        std::unique_ptr<lease> place, lease_name name
    );
    [[nodiscard]] std::vector<own_lease> own_leases() const;
    [[nodiscard]] std::vector<shown_lease> shown() const;
    [[nodiscard]] std::optional<lease_name> held_under(std::int64_t key) const;
    [[nodiscard]] awaitable<void> let_go_for_others(lease_name name);
    void hear(const notification& said);
    void hear_wanted(std::int64_t key, std::optional<int> waited_ms, int session);
    void hear_released(std::int64_t key, int session);
    void say_wanted(std::int64_t key, monotonic_time since);
    void say_released(std::int64_t key);
    [[nodiscard]] std::chrono::milliseconds courtesy_of(std::int64_t key, monotonic_time since)
        const;
    [[nodiscard]] bool is_wanted_by_others(std::int64_t key) const;
    void lose_all();

    // fixed after construction
    loop& where_;
    connector opener_;

    std::unique_ptr<lock_manager> local_;  ///< the line of this process in front of each lock
    lease_session session_;
    lease_bus bus_;
    forced_release forced_;
    connection_pool rooms_;
    death_watch deaths_;
    lease_capacity capacity_;
    const std::size_t max_parked_;  ///< room waits that stand in the server at once
    std::size_t parked_ = 0;
    std::set<long_lease*> held_;
    room_leases held_rooms_;
    std::multimap<std::int64_t, lock_wait*> waiting_;
    waiting_line line_;            ///< of all workers
    std::set<lease_name> let_go_;  ///< that others have asked for, and that are not given back yet
    bool is_started_ = false;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene::postgres
