// SPDX-License-Identifier: Apache-2.0
// Leases of two workers in one database: exclusion, waiting, loss, and the proof of death.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/lease_scene.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

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
