// SPDX-License-Identifier: Apache-2.0
// Leases of two workers in one database: exclusion, waiting, loss, and the proof of death.
#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "store/store.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Much longer than anything here takes; reaching it is a failure.
constexpr auto patience = 20s;

lease_name claim_of(const std::string& room) {
    return lease_name::delivery(
        organization_id{"acme-" + std::to_string(::getpid())}, room_id{room}
    );
}

lease_name lock_of(const std::string& room) {
    return lease_name::room(organization_id{"acme-" + std::to_string(::getpid())}, room_id{room});
}

/// Sessions are told apart by it, also from those of a test that runs beside this one.
incarnation_id id_of(const std::string& worker) {
    return incarnation_id{worker + '-' + std::to_string(::getpid())};
}

/// A backend of the tests' server that stands still for a while.
class stopped_backend {
   public:
    explicit stopped_backend(std::int64_t pid) : pid_(static_cast<pid_t>(pid)) {
        EXPECT_EQ(::kill(pid_, SIGSTOP), 0);
    }

    ~stopped_backend() {
        if (is_stopped_) {
            go_on();
        }
    }

    stopped_backend(const stopped_backend&) = delete;
    stopped_backend& operator=(const stopped_backend&) = delete;

    void go_on() {
        is_stopped_ = false;
        EXPECT_EQ(::kill(pid_, SIGCONT), 0);
    }

   private:
    const pid_t pid_;
    bool is_stopped_ = true;
};

class leases_of_two_workers : public testing::Test {
   protected:
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
            EXPECT_TRUE(run(sleep_for(1ms)));
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
            const result<> slept = co_await sleep_for(20ms);
            static_cast<void>(slept);  // nothing cancels it
        }
        co_return shown;
    }

    /// Until so many names are written down.
    awaitable<void> until_rows(std::int64_t count) {
        const deadline until = soon();
        std::int64_t left = -1;
        while (left != count && !until.has_passed(loop_.now())) {
            const result<> slept = co_await sleep_for(20ms);
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
            const auto workers = co_await store_->run(std::move(all));
            if (!workers) {
                co_return workers.error();
            }
            const bool is_dead = std::ranges::any_of(*workers, [&](const ops::worker_row& row) {
                return row.incarnation == worker && row.state == ops::worker_state::dead;
            });
            if (is_dead) {
                co_return result<>{};
            }
            const result<> slept = co_await sleep_for(50ms);
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

// Proves: L1
TEST_F(leases_of_two_workers, ExcludeEachOther) {
    const auto held = must_acquire(*first_, claim_of("r1"));
    EXPECT_EQ(run(second_->try_acquire(claim_of("r1"))).error(), errc::lease_busy);
    EXPECT_TRUE(run(second_->try_acquire(claim_of("r2"))));
    const result<> released = run(held->release());
    EXPECT_TRUE(released) << released.error();
    EXPECT_TRUE(run(second_->try_acquire(claim_of("r1"))));
}

// Without `start` there is no session that could hold a long lease: it is refused at once, and nobody waits.
// Proves: L1, L8 (rk:K11)
TEST_F(leases_of_two_workers, AManagerThatWasNotStartedGrantsNoLease) {
    const auto idle = make_postgres_lock_manager(loop_, {schema_.address(), id_of("idle"), 4});
    EXPECT_EQ(run(idle->try_acquire(claim_of("r1"))).error(), errc::unavailable);
    EXPECT_EQ(run(idle->acquire(claim_of("r1"), deadline::never())).error(), errc::unavailable);
    const result<> closed = run(idle->close(soon()));
    EXPECT_TRUE(closed) << closed.error();
    EXPECT_TRUE(run(first_->try_acquire(claim_of("r1"))));
}

// Proves: L3
TEST_F(leases_of_two_workers, TheHolderHearsThatItIsWanted) {
    auto held = must_acquire(*first_, claim_of("r1"));
    EXPECT_FALSE(held->is_wanted());
    auto give_way_when_wanted = [](std::unique_ptr<lease> mine) -> awaitable<void> {
        while (!mine->is_wanted()) {
            const result<> slept = co_await sleep_for(5ms);
            if (!slept) {
                co_return;
            }
        }
        const result<> released = co_await mine->release();
        EXPECT_TRUE(released) << released.error();
    };
    task_scope giving{loop_};
    giving.spawn("give way", give_way_when_wanted(std::move(held)));
    const auto taken = run(second_->acquire(claim_of("r1"), soon()));
    EXPECT_TRUE(taken) << taken.error();
    loop_.run_until_done(giving.join());
}

// Proves: L3
TEST_F(leases_of_two_workers, AWaiterThatGivesUpLeavesNothingBehind) {
    const auto held = must_acquire(*first_, claim_of("r1"));
    const auto room = must_acquire(*first_, lock_of("r1"));
    const deadline short_while{loop_.now() + 300ms};
    EXPECT_EQ(run(second_->acquire(claim_of("r1"), short_while)).error(), errc::timed_out);
    const deadline as_short{loop_.now() + 300ms};
    EXPECT_EQ(run(second_->acquire(lock_of("r1"), as_short)).error(), errc::timed_out);
    expect_locks(2);
}

// The answer that grants a lease, and the end of the wait for it, are there in the same turn of the loop: the caller is told
// that it waited in vain, and the lease is given back.
// Proves: L3
TEST_F(leases_of_two_workers, AGrantThatComesWithTheEndOfTheWaitIsGivenBack) {
    const auto other = must_acquire(*second_, claim_of("r0"));
    const std::int64_t session = session_with_lock(second_id(), "true");
    stopped_backend server{session};
    const deadline until{loop_.now() + 200ms};
    acquired outcome = errc::cancelled;
    task_scope asking{loop_};
    asking.spawn("ask", acquire_into(second_.get(), claim_of("r1"), until, &outcome));
    // It is sent, and not answered.
    ASSERT_TRUE(run(sleep_for(50ms)));
    server.go_on();
    // The loop stands still from here on, until both are there.
    const monotonic_time end = loop_.now() + patience;
    while ((loop_.now() < until.at() || locks_of_idle(session) != 2) && loop_.now() < end) {
        std::this_thread::yield();
    }
    ASSERT_EQ(locks_of_idle(session), 2);
    std::this_thread::sleep_for(20ms);  // the answer's way through the socket
    loop_.run_until_done(asking.join());
    EXPECT_EQ(outcome.error(), errc::timed_out);
    expect_locks(1);
    EXPECT_TRUE(run(first_->acquire(claim_of("r1"), soon())));
}

// The server grants a room's lock in the moment in which its patience with the waiter ends: the statement fails, and the
// session has the lock. It ends with the connection, and whoever waits gets it by another one.
// Proves: L8
TEST_F(leases_of_two_workers, ALockThatIsGrantedAsTheStatementFailsIsNotKept) {
    const auto held = must_acquire(*first_, lock_of("r1"));
    acquired outcome = errc::cancelled;
    task_scope waiting{loop_};
    waiting.spawn("wait", acquire_into(second_.get(), lock_of("r1"), soon(), &outcome));
    {
        const stopped_backend server{session_with_lock(second_id(), "false")};
        EXPECT_TRUE(run(held->release()));
        // Longer than the server lets a statement wait; it hears of both when it goes on.
        EXPECT_TRUE(run(sleep_for(2500ms)));
    }
    loop_.run_until_done(waiting.join());
    ASSERT_TRUE(outcome) << outcome.error();
    const result<> released = run((*outcome)->release());
    EXPECT_TRUE(released) << released.error();
    expect_locks(0);
    EXPECT_TRUE(run(first_->acquire(lock_of("r1"), soon())));
}

// Proves: L4 L7
TEST_F(leases_of_two_workers, ARoomLockWaitsForTheOtherWorkersCommit) {
    auto held = must_acquire(*first_, lock_of("r1"));
    auto give_back_later = [](std::unique_ptr<lease> mine) -> awaitable<void> {
        const result<> slept = co_await sleep_for(400ms);
        EXPECT_TRUE(slept);
        const result<> released = co_await mine->release();
        EXPECT_TRUE(released) << released.error();
    };
    task_scope giving{loop_};
    giving.spawn("give back", give_back_later(std::move(held)));
    const auto taken = run(second_->acquire(lock_of("r1"), soon()));
    EXPECT_TRUE(taken) << taken.error();
    loop_.run_until_done(giving.join());
}

// Proves: L6 L8
TEST_F(leases_of_two_workers, AreLostWithTheirSession) {
    const auto held = must_acquire(*first_, claim_of("r1"));
    EXPECT_EQ(end_holders(first_id()), 1);
    EXPECT_EQ(run(with_deadline(soon(), until_lost(held.get()))).error(), errc::lease_lost);
    EXPECT_EQ(held->state(), lease_state::lost);
    EXPECT_EQ(run(held->release()).error(), errc::lease_lost);
    // The other one gets it, and the one that lost it can have it again.
    const auto taken = must_acquire(*second_, claim_of("r1"));
    const result<> released = run(taken->release());
    EXPECT_TRUE(released);
    EXPECT_TRUE(run(first_->acquire(claim_of("r1"), soon())));
}

// Proves: L7 L8
TEST_F(leases_of_two_workers, ARoomLockIsLostWithItsConnection) {
    const auto held = must_acquire(*first_, lock_of("r1"));
    EXPECT_EQ(end_holders(first_id()), 1);
    EXPECT_EQ(run(held->release()).error(), errc::lease_lost);
    EXPECT_TRUE(run(second_->acquire(lock_of("r1"), soon())));
}

// Proves: L5
TEST_F(leases_of_two_workers, AThousandClaimsNeedFewConnections) {
    std::vector<std::unique_ptr<lease>> held;
    for (int i = 0; i < 1000; ++i) {
        held.push_back(must_acquire(*first_, claim_of("r" + std::to_string(i))));
    }
    expect_locks(1000);
    EXPECT_LE(first_->connections(), 4U);
    for (const std::unique_ptr<lease>& one : held) {
        const result<> released = run(one->release());
        EXPECT_TRUE(released) << released.error();
    }
}

// A worker that holds as many as it may is refused more, and gets one again when it gave one back.
// Proves: L5
TEST_F(leases_of_two_workers, AreRefusedBeyondTheirNumber) {
    const incarnation_id third = id_of("third");
    ops::register_worker request;
    request.worker.incarnation = third;
    ASSERT_TRUE(run(store_->run(std::move(request))));
    postgres_lock_options options{schema_.address(), third, 3, 2};
    const auto few = make_postgres_lock_manager(loop_, options);
    ASSERT_TRUE(run(few->start()));
    auto one = must_acquire(*few, claim_of("r1"));
    auto two = must_acquire(*few, claim_of("r2"));
    EXPECT_EQ(run(few->acquire(claim_of("r3"), soon())).error(), errc::lease_capacity);
    EXPECT_EQ(run(few->try_acquire(claim_of("r3"))).error(), errc::lease_capacity);
    EXPECT_TRUE(run(one->release()));
    one.reset();
    EXPECT_TRUE(run(few->try_acquire(claim_of("r3"))));
    EXPECT_TRUE(run(two->release()));
    two.reset();
    EXPECT_TRUE(run(few->close(soon())));
}

// What is held is shown, and can be taken away: the holder is told, and the other worker gets it once it has let go.
// Proves: L11
TEST_F(leases_of_two_workers, AreShownAndTakenAway) {
    auto held = must_acquire(*first_, claim_of("r1"));
    ASSERT_EQ(first_->list().size(), 1u);
    EXPECT_EQ(first_->list().front().name, claim_of("r1"));
    EXPECT_TRUE(second_->list().empty());
    task_scope holding{loop_};
    holding.spawn("hold", let_go_when_lost(std::move(held)));
    const result<> revoked = run(first_->revoke(claim_of("r1"), soon()));
    EXPECT_TRUE(revoked) << revoked.error();
    EXPECT_TRUE(run(second_->try_acquire(claim_of("r1"))));
    EXPECT_EQ(run(first_->revoke(claim_of("r1"), soon())).error(), errc::not_found);
    loop_.run_until_done(holding.join());
}

// Every worker sees what all hold, with the worker and the waiters of all of them, and no longer than it is held.
// Proves: L11
TEST_F(leases_of_two_workers, AreShownByEveryWorker) {
    auto held = must_acquire(*first_, claim_of("r1"));
    task_scope waiting{loop_};
    waiting.spawn("wait", take_and_keep(second_.get(), claim_of("r1"), nullptr));
    for (lock_manager* const asked :
         {static_cast<lock_manager*>(second_.get()), static_cast<lock_manager*>(first_.get())}) {
        const worker_lease shown = run(until_shown(asked, claim_of("r1"), 1));
        const bool is_own = asked == first_.get();
        EXPECT_EQ(shown.worker, is_own ? incarnation_id{} : first_id());
        EXPECT_EQ(shown.host, is_own ? "" : "host of first");
        EXPECT_EQ(shown.lease.name, claim_of("r1"));
        EXPECT_EQ(shown.lease.waiters, 1U);
        EXPECT_GE(loop_.now() - shown.lease.since, 500ms);
    }
    waiting.request_stop();
    loop_.run_until_done(waiting.join());
    EXPECT_TRUE(run(held->release()));
    run(until_rows(0));
    EXPECT_TRUE(run(second_->list_all(soon())).value().empty());
}

// Locks of commits are not written down, however many there are; one that is held for longer than half a second is.
// Proves: L11, L7
TEST_F(leases_of_two_workers, ShortRoomLocksAreNotWrittenDown) {
    note_lines();
    const monotonic_time end = loop_.now() + 1500ms;
    while (loop_.now() < end) {
        const auto lock = must_acquire(*first_, lock_of("r1"));
        EXPECT_TRUE(run(lock->release()));
    }
    EXPECT_EQ(ask("SELECT count(*) FROM noted"), 0);
    const auto lock = must_acquire(*first_, lock_of("r1"));
    EXPECT_EQ(run(until_shown(second_.get(), lock_of("r1"), 0)).worker, first_id());
    EXPECT_TRUE(run(lock->release()));
    EXPECT_EQ(ask("SELECT count(*) FROM noted WHERE kind = 'room'"), 1);
}

// What stands on the board of a worker that is dead is shown to nobody, and goes with the proof of its death.
// Proves: L11, L10
TEST_F(leases_of_two_workers, OfTheDeadAreNotShown) {
    const incarnation_id third = id_of("third");
    const auto write_line = [&] {
        admin_->forget_failure();
        admin_->run(
            "INSERT INTO lease_info VALUES (?1, 1, 'n', 'delivery', 'acme', 'r', 'p', 0, 1, 0)",
            third
        );
    };
    write_line();
    EXPECT_TRUE(run(second_->list_all(soon())).value().empty());
    ops::register_worker request;
    request.worker.incarnation = third;
    ASSERT_TRUE(run(store_->run(std::move(request))));
    EXPECT_EQ(run(second_->list_all(soon())).value().size(), 1U);
    // No connection is its own: the others find out, and clear away.
    run(until_rows(0));
    const result<> buried = run(with_deadline(soon(), until_dead(third)));
    EXPECT_TRUE(buried) << buried.error();
    write_line();
    EXPECT_TRUE(run(second_->list_all(soon())).value().empty());
}

// A worker that stops leaves no line behind.
// Proves: L11
TEST_F(leases_of_two_workers, AreNotShownAfterACleanStop) {
    auto held = must_acquire(*first_, claim_of("r1"));
    run(until_rows(1));
    held.reset();
    EXPECT_TRUE(run(first_->close(soon())));
    EXPECT_EQ(ask("SELECT count(*) FROM lease_info"), 0);
}

// A database that crashed has forgotten what was shown: it is written again.
// Proves: L11
TEST_F(leases_of_two_workers, AreShownAgainAfterACrash) {
    const auto held = must_acquire(*first_, lock_of("r1"));
    run(until_rows(1));
    admin_->forget_failure();
    admin_->run("TRUNCATE lease_info");
    EXPECT_EQ(
        ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE "
            "'%lease_info%'"
            " AND application_name = 'convene " +
            first_id().str() + "'"),
        1
    );
    run(until_rows(1));
    EXPECT_TRUE(run(held->release()));
}

// A name is taken from a holder in another worker: it is told, lets go, and only then the name is free.
// Proves: L11
TEST_F(leases_of_two_workers, AreTakenFromAnotherWorker) {
    auto held = must_acquire(*first_, claim_of("r1"));
    task_scope holding{loop_};
    holding.spawn("hold", let_go_when_lost(std::move(held)));
    const auto taken = run(second_->take_away(claim_of("r1"), stubborn_holder::keeps_it, soon()));
    ASSERT_TRUE(taken) << taken.error();
    EXPECT_EQ(*taken, lease_release::let_go);
    EXPECT_TRUE(run(second_->try_acquire(claim_of("r1"))));
    loop_.run_until_done(holding.join());
    expect_locks(0);
    const auto again = run(second_->take_away(claim_of("r1"), stubborn_holder::keeps_it, soon()));
    EXPECT_EQ(again.error(), errc::not_found);
}

// Also where the worker gets the name anew at once, so that the database always shows it as the holder.
// Proves: L11
TEST_F(leases_of_two_workers, ANameIsTakenAwayAlthoughItsWorkerIsTheNext) {
    auto held = must_acquire(*first_, claim_of("r1"));
    task_scope holding{loop_};
    holding.spawn("hold", let_go_when_lost(std::move(held)));
    std::unique_ptr<lease> next;
    holding.spawn("next", take_and_keep(first_.get(), claim_of("r1"), &next));
    const auto taken = run(second_->take_away(claim_of("r1"), stubborn_holder::keeps_it, soon()));
    EXPECT_TRUE(taken) << taken.error();
    loop_.run_until_done(holding.join());
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->state(), lease_state::held);
    EXPECT_TRUE(run(next->release()));
}

// A holder that does not let go keeps the name, until somebody has the session ended: then it is lost, and so is
// whatever else hangs on that session, and nothing more.
// Proves: L11, L8
TEST_F(leases_of_two_workers, AStubbornHolderLosesItsSession) {
    const auto held = must_acquire(*first_, claim_of("r1"));
    const auto beside = must_acquire(*first_, claim_of("r2"));
    const auto room = must_acquire(*first_, lock_of("r1"));
    const auto others = must_acquire(*second_, claim_of("r3"));
    const auto kept = run(second_->take_away(claim_of("r1"), stubborn_holder::keeps_it, in(300ms)));
    EXPECT_EQ(kept.error(), errc::timed_out);
    EXPECT_EQ(held->state(), lease_state::lost) << "it was told";
    EXPECT_EQ(beside->state(), lease_state::held);
    EXPECT_EQ(run(second_->try_acquire(claim_of("r1"))).error(), errc::lease_busy);

    const auto ended = run(
        second_->take_away(claim_of("r1"), stubborn_holder::loses_its_session, in(300ms))
    );
    ASSERT_TRUE(ended) << ended.error();
    EXPECT_EQ(*ended, lease_release::session_ended);
    EXPECT_EQ(run(with_deadline(soon(), until_lost(beside.get()))).error(), errc::lease_lost);
    EXPECT_EQ(room->state(), lease_state::held);
    EXPECT_EQ(others->state(), lease_state::held);

    // Whoever has it next is shown, and nobody else, although the one that lost it still clings to it.
    const auto next = must_acquire(*second_, claim_of("r1"));
    EXPECT_EQ(run(until_shown(first_.get(), claim_of("r1"), 0)).worker, second_id());
    const auto theirs = run(first_->take_away(claim_of("r1"), stubborn_holder::keeps_it, in(300ms))
    );
    EXPECT_EQ(theirs.error(), errc::timed_out);
    EXPECT_EQ(next->state(), lease_state::lost) << "it was told";
    EXPECT_EQ(run(next->release()).error(), errc::lease_lost);
    EXPECT_EQ(run(held->release()).error(), errc::lease_lost);
    EXPECT_EQ(run(beside->release()).error(), errc::lease_lost);
    EXPECT_TRUE(run(room->release()));
    EXPECT_TRUE(run(others->release()));
}

// A room's lock that is taken away commits nothing any more.
// Proves: L11, L7
TEST_F(leases_of_two_workers, ARoomLockIsTakenFromAnotherWorker) {
    auto held = must_acquire(*first_, lock_of("r1"));
    task_scope holding{loop_};
    holding.spawn("hold", let_go_when_lost(std::move(held)));
    const auto taken = run(second_->take_away(lock_of("r1"), stubborn_holder::keeps_it, soon()));
    EXPECT_TRUE(taken) << taken.error();
    loop_.run_until_done(holding.join());
    EXPECT_TRUE(run(second_->acquire(lock_of("r1"), soon())));
}

// Proves: L10
TEST_F(leases_of_two_workers, AWorkerIsProvenDeadWithTheEndOfItsLastConnection) {
    const incarnation_id third = id_of("third");
    ops::register_worker request;
    request.worker.incarnation = third;
    ASSERT_TRUE(run(store_->run(std::move(request))));
    postgres::session_options of_third;
    of_third.address = schema_.address();
    of_third.incarnation = third;
    auto one = postgres::session::open(of_third).value();
    auto other = postgres::session::open(of_third).value();
    one.reset();
    // Three looks of the others.
    ASSERT_TRUE(run(sleep_for(1800ms)));
    EXPECT_EQ(state_of(third), ops::worker_state::live);
    other.reset();
    const result<> buried = run(with_deadline(soon(), until_dead(third)));
    EXPECT_TRUE(buried) << buried.error();
    EXPECT_EQ(state_of(first_id()), ops::worker_state::live);
}

// Proves: L10
TEST_F(leases_of_two_workers, OneLostConnectionIsNoDeath) {
    const auto held = must_acquire(*first_, claim_of("r1"));
    EXPECT_EQ(end_holders(first_id()), 1);
    // Three looks of the other worker.
    const result<> slept = run(sleep_for(1800ms));
    EXPECT_TRUE(slept);
    EXPECT_EQ(state_of(first_id()), ops::worker_state::live);
}

}  // namespace

}  // namespace convene
