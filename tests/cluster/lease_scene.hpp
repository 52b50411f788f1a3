// SPDX-License-Identifier: Apache-2.0
// Two workers that want leases of one database, and what the server says of them.
#pragma once

#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "store/store.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

inline lease_name claim_of(const std::string& room) {
    return lease_name::delivery(
        organization_id{"acme-" + std::to_string(::getpid())}, room_id{room}
    );
}

inline lease_name lock_of(const std::string& room) {
    return lease_name::room(organization_id{"acme-" + std::to_string(::getpid())}, room_id{room});
}

/// Sessions are told apart by it, also from those of a test that runs beside this one.
inline incarnation_id id_of(const std::string& worker) {
    return incarnation_id{worker + '-' + std::to_string(::getpid())};
}

/// Two workers with locks of their own, and a session of the test's own that sees them all.
class leases_of_two_workers : public testing::Test {
   protected:
    /// Much longer than anything here takes; reaching it is a failure.
    static constexpr std::chrono::seconds patience{20};

    /// At what becomes so in the server after a while.
    static constexpr std::chrono::milliseconds between_looks{20};

    void SetUp() override {
        postgres_options options;
        options.address = schema_.address();
        store_ = open_postgres_store(options).value();
        first_ = open(first_id());
        second_ = open(second_id());
    }

    void TearDown() override {
        for (std::unique_ptr<postgres_lock_manager>* one : {&first_, &second_}) {
            if (*one != nullptr) {
                const result<> closed = run((*one)->close(soon()));
                EXPECT_TRUE(closed) << closed.error();
            }
        }
        loop_.run_until_done(store_->close());
        expect_locks(0);
    }

    [[nodiscard]] static incarnation_id first_id() { return id_of("first"); }

    [[nodiscard]] static incarnation_id second_id() { return id_of("second"); }

    [[nodiscard]] deadline soon() const { return in(patience); }

    [[nodiscard]] deadline in(std::chrono::nanoseconds span) const {
        return deadline{loop_.now() + span};
    }

    template <class T>
    T run(awaitable<T> work) {
        return loop_.run_until_done(std::move(work));
    }

    [[nodiscard]] std::unique_ptr<lease> must_acquire(lock_manager& of, lease_name name) {
        return run(of.acquire(std::move(name), soon())).value();
    }

    /// What the test's own session answers to a question with one number.
    std::int64_t ask(const std::string& sql) {
        admin_->forget_failure();
        return admin_->value_of<std::int64_t>(sql).value();
    }

    /// The session of a worker that has an exclusive lock, or waits for one.
    std::int64_t session_with_lock(const incarnation_id& worker, const std::string& granted) {
        std::int64_t pid = 0;
        for (const monotonic_time end = loop_.now() + patience; pid == 0 && loop_.now() < end;) {
            EXPECT_TRUE(run(sleep_for(between_looks)));
            pid = ask(
                "SELECT coalesce(max(l.pid), 0) FROM pg_locks l JOIN pg_stat_activity a ON"
                " a.pid = l.pid WHERE l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND"
                " l.granted = " +
                granted + " AND a.application_name = 'convene " + worker.str() + "'"
            );
        }
        return pid;
    }

    /// So many exclusive locks, granted to a session that has nothing to do.
    std::int64_t locks_of_idle(std::int64_t pid) {
        return ask(
            "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE"
            " l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted AND a.state ="
            " 'idle' AND l.pid = " +
            std::to_string(pid)
        );
    }

    using acquired = result<std::unique_ptr<lease>>;

    static awaitable<void> acquire_into(
        lock_manager* of, lease_name name, deadline until, acquired* into
    ) {
        *into = co_await of->acquire(std::move(name), until);
    }

    /// Ends the sessions of a worker that hold exclusive locks, as an operator would.
    std::int64_t end_holders(const incarnation_id& worker) {
        return ask(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT DISTINCT l.pid FROM pg_locks l"
            " JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.mode ="
            " 'ExclusiveLock' AND a.application_name = 'convene " +
            worker.str() + "') AS held"
        );
    }

    /// Waits until the workers of this test have, or wait for, so many exclusive advisory locks: a backend needs a
    /// moment to end.
    void expect_locks(std::int64_t count) {
        const monotonic_time end = loop_.now() + patience;
        std::int64_t left = -1;
        while (left != count && loop_.now() < end) {
            left = ask(
                "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE"
                " l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND a.application_name LIKE"
                " 'convene %-" +
                std::to_string(::getpid()) + "'"
            );
        }
        EXPECT_EQ(left, count);
    }

    awaitable<result<>> until_lost(lease* held) {
        wait_flag never;
        auto waiting = until_set(&never);
        const result<> ended = co_await cancelled_by(&held->lost(), std::move(waiting));
        co_return ended;
    }

    /// Holds until it is told that its lease is lost.
    static awaitable<void> let_go_when_lost(std::unique_ptr<lease> mine) {
        wait_flag never;
        auto waiting = until_set(&never);
        const result<> told = co_await cancelled_by(&mine->lost(), std::move(waiting));
        EXPECT_EQ(told.error(), errc::lease_lost);
        const result<> released = co_await mine->release();
        static_cast<void>(released);  // a lease that was lost says so, a room's lock does not
    }

    static awaitable<void> take_and_keep(
        lock_manager* of, lease_name name, std::unique_ptr<lease>* into
    ) {
        auto taken = co_await of->acquire(std::move(name), deadline::never());
        if (taken && into != nullptr) {
            *into = *std::move(taken);
        }
    }

    /// The name, once the worker that is asked shows it with so many waiters.
    awaitable<worker_lease> until_shown(lock_manager* asked, lease_name name, std::size_t waiters) {
        worker_lease shown{{name, lease_state::lost, {}, 0}, {}, "is never shown"};
        const deadline until = soon();
        while (!until.has_passed(loop_.now())) {
            const auto all = co_await asked->list_all(until);
            const std::vector<worker_lease> listed = all ? *all : std::vector<worker_lease>();
            const auto found = std::ranges::find_if(listed, [&](const worker_lease& one) {
                return one.lease.name == name && one.lease.waiters == waiters;
            });
            if (found != listed.end()) {
                shown = *found;
                break;
            }
            const result<> slept = co_await sleep_for(between_looks);
            static_cast<void>(slept);  // nothing cancels it
        }
        co_return shown;
    }

    /// Until so many names are written down.
    awaitable<void> until_rows(std::int64_t count) {
        const deadline until = soon();
        std::int64_t left = -1;
        while (left != count && !until.has_passed(loop_.now())) {
            const result<> slept = co_await sleep_for(between_looks);
            static_cast<void>(slept);  // nothing cancels it
            left = ask("SELECT count(*) FROM lease_info");
        }
        EXPECT_EQ(left, count);
    }

    /// From now on the database notes each line that is written down.
    void note_lines() {
        admin_->forget_failure();
        admin_->run_script(
            "CREATE TABLE noted (kind text);"
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN INSERT INTO noted VALUES (NEW.kind); RETURN NEW; END$$;"
            "CREATE TRIGGER note BEFORE INSERT OR UPDATE ON lease_info FOR EACH ROW EXECUTE "
            "FUNCTION"
            " note()"
        );
        EXPECT_FALSE(admin_->failure());
    }

    std::unique_ptr<postgres_lock_manager> open(const incarnation_id& worker) {
        ops::register_worker request;
        request.worker.incarnation = worker;
        request.worker.host = worker == first_id() ? "host of first" : "another host";
        const auto registered = run(store_->run(std::move(request)));
        EXPECT_TRUE(registered) << registered.error();
        auto made = make_postgres_lock_manager(loop_, {schema_.address(), worker, 8});
        const result<> started = run(made->start());
        EXPECT_TRUE(started) << started.error();
        return made;
    }

    [[nodiscard]] ops::worker_state state_of(const incarnation_id& worker) {
        for (const ops::worker_row& row : run(store_->run(ops::list_workers{})).value()) {
            if (row.incarnation == worker) {
                return row.state;
            }
        }
        return ops::worker_state::dead;
    }

    awaitable<result<>> until_dead(incarnation_id worker) {
        for (;;) {
            ops::list_workers all;
            const auto workers = co_await store_->run(all);
            if (!workers) {
                co_return workers.error();
            }
            const bool is_dead = std::ranges::any_of(*workers, [&](const ops::worker_row& row) {
                return row.incarnation == worker && row.state == ops::worker_state::dead;
            });
            if (is_dead) {
                co_return result<>{};
            }
            const result<> slept = co_await sleep_for(between_looks);
            if (!slept) {
                co_return slept;
            }
        }
    }

    postgres_schema schema_;
    loop loop_;
    std::unique_ptr<postgres::session> admin_ = schema_.connect();
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<postgres_lock_manager> first_;
    std::unique_ptr<postgres_lock_manager> second_;
};

}  // namespace convene
