// SPDX-License-Identifier: Apache-2.0
// The in-memory lock manager: order, deadlines, callers that leave, and closing.
#include "lease/memory/in_memory_lock_manager.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

using held_lease = std::unique_ptr<lease>;
using log_lines = std::vector<std::string>;

lease_name room(std::string id) {
    return lease_name::room(organization_id{"acme"}, room_id{std::move(id)});
}

/// Acquires, holds for a while and releases; writes down when it entered and left.
awaitable<void> visit(
    lock_manager* locks,
    lease_name name,
    std::chrono::nanoseconds stay,
    log_lines* log,
    std::string who
) {
    const result<held_lease> lock = co_await locks->acquire(std::move(name), deadline::never());
    if (!lock) {
        log->push_back(who + " refused");
        co_return;
    }
    log->push_back(who + " in");
    const result<> stayed = co_await sleep_for(stay);
    EXPECT_TRUE(stayed.has_value());
    log->push_back(who + " out");
    const result<> released = co_await (*lock)->release();
    EXPECT_TRUE(released.has_value());
}

/// Acquires once and keeps what came of it.
awaitable<void> store_lease(
    lock_manager* locks, lease_name name, deadline until, std::optional<result<held_lease>>* into
) {
    result<held_lease> lock = co_await locks->acquire(std::move(name), until);
    into->emplace(std::move(lock));
}

class InMemoryLockManager : public testing::Test {
   protected:
    using answer = std::optional<result<held_lease>>;

    held_lease take(lease_name name) {
        result<held_lease> lock = loop_.run(locks_.acquire(std::move(name), deadline::never()));
        EXPECT_TRUE(lock.has_value());
        return std::move(*lock);
    }

    error_code try_to_take(lease_name name) {
        const result<held_lease> lock = loop_.run(locks_.try_acquire(std::move(name)));
        return lock ? error_code{} : lock.error();
    }

    /// Starts waiting in `scope` and lets it get as far as it can.
    void start_waiting(task_scope& scope, answer& into, deadline until = deadline::never()) {
        scope.spawn("waiter", store_lease(&locks_, room("r1"), until, &into));
        loop_.run_ready();
    }

    [[nodiscard]] deadline in(std::chrono::nanoseconds span) const {
        return deadline{loop_.now() + span};
    }

    manual_loop loop_;
    in_memory_lock_manager locks_{loop_};
};

// Five callers of one name are inside one after the other, each exactly once.
// Proves: L1 (rk:K1, rk:K2)
TEST_F(InMemoryLockManager, LetsOneHolderInAtATime) {
    log_lines log;
    task_scope scope{loop_};
    for (const char* who : {"a", "b", "c", "d", "e"}) {
        scope.spawn(who, visit(&locks_, room("r1"), 1s, &log, who));
    }
    const monotonic_time start = loop_.now();
    loop_.run(scope.join());
    EXPECT_EQ(
        log,
        (log_lines{
            "a in", "a out", "b in", "b out", "c in", "c out", "d in", "d out", "e in", "e out"
        })
    );
    EXPECT_EQ(loop_.now(), start + 5s);
}

// Names that differ in kind, organisation or id do not wait for each other.
// Proves: L1, L2 (rk:K1, rk:K3, rk:K7)
TEST_F(InMemoryLockManager, LetsHoldersOfDifferentNamesOverlap) {
    const organization_id acme{"acme"};
    const organization_id other{"other"};
    const room_id r1{"r1"};
    std::vector<held_lease> held;
    held.push_back(take(lease_name::room(acme, r1)));
    held.push_back(take(lease_name::room(acme, room_id{"r2"})));
    held.push_back(take(lease_name::room(other, r1)));
    held.push_back(take(lease_name::delivery(acme, r1)));
    EXPECT_EQ(locks_.size(), 4U);
    held.erase(held.begin());
    EXPECT_FALSE(try_to_take(lease_name::room(acme, r1)));
    EXPECT_EQ(try_to_take(lease_name::delivery(acme, r1)), errc::lease_busy);
}

// Five hundred waiters are served in the order they came.
// Proves: L3
TEST_F(InMemoryLockManager, ServesItsWaitersInTheirOrder) {
    log_lines log;
    log_lines expected;
    task_scope scope{loop_};
    for (int i = 0; i < 500; ++i) {
        const std::string who = std::to_string(i);
        scope.spawn(who, visit(&locks_, room("r1"), 0s, &log, who));
        expected.push_back(who + " in");
        expected.push_back(who + " out");
    }
    loop_.run(scope.join());
    EXPECT_EQ(log, expected);
    EXPECT_EQ(locks_.size(), 0U);
}

// A waiter gives up exactly at its deadline, and those behind it move up.
// Proves: L3
TEST_F(InMemoryLockManager, GivesUpExactlyAtTheDeadline) {
    held_lease holder = take(room("r1"));
    answer impatient;
    answer patient;
    task_scope scope{loop_};
    start_waiting(scope, impatient, in(2s));
    start_waiting(scope, patient);
    loop_.advance(2s - 1ns);
    EXPECT_FALSE(impatient.has_value());
    loop_.advance(1ns);
    ASSERT_TRUE(impatient.has_value());
    EXPECT_EQ(impatient->error(), errc::timed_out);
    EXPECT_FALSE(patient.has_value());
    holder.reset();
    loop_.run_ready();
    ASSERT_TRUE(patient.has_value());
    EXPECT_TRUE(patient->has_value());
}

// A name that is given back in time reaches a waiter whose deadline is a nanosecond away.
// Proves: L3
TEST_F(InMemoryLockManager, ServesUntilTheDeadline) {
    held_lease holder = take(room("r1"));
    answer waiter;
    task_scope scope{loop_};
    start_waiting(scope, waiter, in(2s));
    loop_.advance(2s - 1ns);
    holder.reset();
    loop_.run_ready();
    ASSERT_TRUE(waiter.has_value());
    EXPECT_TRUE(waiter->has_value());
    loop_.advance(1s);
    EXPECT_EQ((**waiter)->state(), lease_state::held);
}

// A caller that is late or cancelled from the start gets nothing, even if the name is free.
// Proves: L3
TEST_F(InMemoryLockManager, GivesNothingToCallersThatAreTooLate) {
    const result<held_lease> late = loop_.run(locks_.acquire(room("r1"), in(0s)));
    EXPECT_EQ(late.error(), errc::timed_out);
    answer cancelled;
    task_scope scope{loop_};
    scope.request_stop();
    start_waiting(scope, cancelled);
    EXPECT_EQ(cancelled->error(), errc::cancelled);
    EXPECT_EQ(locks_.size(), 0U);
}

// A holder that does nothing hears at once that somebody waits, and only once.
// Proves: L3, D11
TEST_F(InMemoryLockManager, TellsTheHolderThatItIsWanted) {
    held_lease holder = take(room("r1"));
    int told = 0;
    holder->when_wanted([&told] { ++told; });
    EXPECT_EQ(told, 0);
    answer first;
    answer second;
    task_scope scope{loop_};
    start_waiting(scope, first);
    start_waiting(scope, second);
    EXPECT_EQ(told, 1);
    holder->when_wanted([&told] { ++told; });
    EXPECT_EQ(told, 2) << "somebody waits already";
    holder.reset();
    loop_.run_ready();
    scope.request_stop();
    loop_.run_ready();
}

// A cancelled waiter leaves nothing behind: the holder is not wanted any more, and the name is free
// after it.
// Proves: L3
TEST_F(InMemoryLockManager, ForgetsCancelledWaiters) {
    held_lease holder = take(room("r1"));
    answer waiter;
    task_scope scope{loop_};
    start_waiting(scope, waiter);
    EXPECT_TRUE(holder->is_wanted());
    scope.request_stop();
    loop_.run_ready();
    EXPECT_EQ(waiter->error(), errc::cancelled);
    EXPECT_FALSE(holder->is_wanted());
    holder.reset();
    EXPECT_EQ(locks_.size(), 0U);
}

// A waiter that is cancelled in the very turn it is granted the name makes way for the next.
// Proves: L3
TEST_F(InMemoryLockManager, PassesOnAGrantThatComesTogetherWithTheCancellation) {
    held_lease holder = take(room("r1"));
    answer first;
    answer second;
    task_scope stopped{loop_};
    task_scope scope{loop_};
    start_waiting(stopped, first);
    start_waiting(scope, second);
    holder.reset();
    stopped.request_stop();
    loop_.run_ready();
    EXPECT_EQ(first->error(), errc::cancelled);
    ASSERT_TRUE(second.has_value());
    EXPECT_TRUE(second->has_value());
}

// A waiter that is destroyed, before the grant or between the grant and its turn, makes way for the
// next.
// Proves: L3
TEST_F(InMemoryLockManager, PassesOnTheNameWhenAWaiterIsDestroyed) {
    const coroutine_context context{&loop_, nullptr, nullptr};
    for (const bool is_granted : {false, true}) {
        held_lease holder = take(room("r1"));
        answer never;
        answer next;
        std::optional<awaitable<void>> destroyed;
        destroyed.emplace(store_lease(&locks_, room("r1"), deadline::never(), &never));
        destroyed->start_under(context, std::noop_coroutine()).resume();
        task_scope scope{loop_};
        start_waiting(scope, next);
        if (is_granted) {
            holder.reset();
        }
        destroyed.reset();
        holder.reset();
        loop_.run_ready();
        EXPECT_FALSE(never.has_value());
        ASSERT_TRUE(next.has_value());
        EXPECT_TRUE(next->has_value());
    }
}

// Trying never waits: a held name is busy, a free one is taken.
// Proves: L1
TEST_F(InMemoryLockManager, TriesWithoutWaiting) {
    held_lease holder = take(room("r1"));
    EXPECT_EQ(try_to_take(room("r1")), errc::lease_busy);
    EXPECT_FALSE(holder->is_wanted());
    holder.reset();
    const result<held_lease> lock = loop_.run(locks_.try_acquire(room("r1")));
    ASSERT_TRUE(lock.has_value());
    EXPECT_EQ((*lock)->name(), room("r1"));
    EXPECT_EQ((*lock)->state(), lease_state::held);
}

// A lease that was dropped without being released is free for the next one.
// Proves: L1
TEST_F(InMemoryLockManager, FreesADroppedLease) {
    held_lease holder = take(room("r1"));
    answer waiter;
    task_scope scope{loop_};
    start_waiting(scope, waiter);
    holder.reset();
    EXPECT_EQ(try_to_take(room("r1")), errc::lease_busy);
    EXPECT_TRUE(waiter.has_value());
}

// Releasing twice is releasing once: it does not take the name from the next holder.
// Proves: L1
TEST_F(InMemoryLockManager, ReleasesOnce) {
    held_lease former = take(room("r1"));
    EXPECT_TRUE(loop_.run(former->release()).has_value());
    EXPECT_EQ(former->state(), lease_state::lost);
    const held_lease next = take(room("r1"));
    EXPECT_TRUE(loop_.run(former->release()).has_value());
    former.reset();
    EXPECT_EQ(next->state(), lease_state::held);
    EXPECT_EQ(try_to_take(room("r1")), errc::lease_busy);
}

// Nothing is kept for a name that nobody uses, however many were used.
TEST_F(InMemoryLockManager, KeepsNothingForUnusedNames) {
    for (int i = 0; i < 10'000; ++i) {
        const held_lease brief = take(room(std::to_string(i)));
        EXPECT_EQ(locks_.size(), 1U);
    }
    EXPECT_EQ(locks_.size(), 0U);
}

// What is held is listed: the name, since when, and how many wait.
// Proves: L11
TEST_F(InMemoryLockManager, ListsWhatIsHeld) {
    EXPECT_TRUE(locks_.list().empty());
    const monotonic_time first = loop_.now();
    held_lease holder = take(room("r1"));
    loop_.advance(2s);
    answer waiter;
    task_scope scope{loop_};
    start_waiting(scope, waiter);
    std::vector<lease_info> held = locks_.list();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].name, room("r1"));
    EXPECT_EQ(held[0].state, lease_state::held);
    EXPECT_EQ(held[0].since, first);
    EXPECT_EQ(held[0].waiters, 1U);
    holder.reset();
    loop_.run_ready();
    held = locks_.list();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].since, first + 2s) << "the next holder's turn begins when it comes";
    EXPECT_EQ(held[0].waiters, 0U);
}

// A lease that is revoked is lost at once; the name goes to the next in line only when its holder has let go.
// Proves: L11, L6
TEST_F(InMemoryLockManager, RevokesInOrder) {
    held_lease holder = take(room("r1"));
    answer waiter;
    task_scope scope{loop_};
    start_waiting(scope, waiter);
    EXPECT_EQ(loop_.run(locks_.revoke(room("r2"), in(1s))).error(), errc::not_found);
    EXPECT_EQ(loop_.run(locks_.revoke(room("r1"), in(1s))).error(), errc::timed_out);
    EXPECT_EQ(holder->state(), lease_state::lost);
    EXPECT_TRUE(holder->lost().is_requested());
    EXPECT_FALSE(waiter.has_value()) << "its holder has not stopped yet";
    EXPECT_EQ(try_to_take(room("r1")), errc::lease_busy);
    EXPECT_EQ(locks_.list()[0].state, lease_state::lost);

    std::optional<result<>> revoked;
    auto revokes = [](lock_manager* locks, std::optional<result<>>* into) -> awaitable<void> {
        const result<> gone = co_await locks->revoke(room("r1"), deadline::never());
        into->emplace(gone);
    };
    scope.spawn("revokes", revokes(&locks_, &revoked));
    loop_.run_ready();
    EXPECT_FALSE(revoked.has_value());
    EXPECT_EQ(loop_.run(holder->release()).error(), errc::lease_lost);
    loop_.run_ready();
    EXPECT_TRUE(revoked->has_value());
    ASSERT_TRUE(waiter.has_value());
    EXPECT_EQ((**waiter)->state(), lease_state::held);
}

// Closing refuses newcomers, ends the waits, and returns when the last holder has let go.
// Proves: L1
TEST_F(InMemoryLockManager, ClosesWhenItsHoldersHaveLetGo) {
    log_lines log;
    task_scope scope{loop_};
    scope.spawn("holder", visit(&locks_, room("r1"), 3s, &log, "holder"));
    scope.spawn("waiter", visit(&locks_, room("r1"), 3s, &log, "waiter"));
    loop_.run_ready();
    const monotonic_time start = loop_.now();
    EXPECT_TRUE(loop_.run(locks_.close(in(9s))).has_value());
    EXPECT_EQ(loop_.now(), start + 3s);
    EXPECT_EQ(log, (log_lines{"holder in", "waiter refused", "holder out"}));
    EXPECT_EQ(try_to_take(room("r1")), errc::unavailable);
    const result<held_lease> late = loop_.run(locks_.acquire(room("r2"), deadline::never()));
    EXPECT_EQ(late.error(), errc::unavailable);
    EXPECT_TRUE(loop_.run(locks_.close(in(9s))).has_value());
}

// Holders that keep a lease beyond the deadline of the close lose it, and are told.
// Proves: L1
TEST_F(InMemoryLockManager, TakesLeasesAwayAtTheDeadlineOfTheClose) {
    const held_lease holder = take(room("r1"));
    EXPECT_FALSE(holder->lost().is_requested());
    EXPECT_EQ(loop_.run(locks_.close(in(1s))).error(), errc::timed_out);
    EXPECT_EQ(holder->state(), lease_state::lost);
    EXPECT_TRUE(holder->lost().is_requested());
    EXPECT_EQ(holder->lost().reason(), errc::lease_lost);
    EXPECT_EQ(loop_.run(holder->release()).error(), errc::lease_lost);
    EXPECT_EQ(locks_.size(), 0U);
}

// A close that is cancelled leaves the holders alone; a second one finishes the work.
TEST_F(InMemoryLockManager, CanBeClosedAgainAfterACancelledClose) {
    held_lease holder = take(room("r1"));
    std::optional<result<>> closed;
    auto closes = [](lock_manager* locks, std::optional<result<>>* into) -> awaitable<void> {
        const result<> ended = co_await locks->close(deadline::never());
        into->emplace(ended);
    };
    task_scope scope{loop_};
    scope.spawn("closes", closes(&locks_, &closed));
    loop_.run_ready();
    scope.request_stop();
    loop_.run_ready();
    EXPECT_EQ(closed->error(), errc::cancelled);
    EXPECT_EQ(holder->state(), lease_state::held);
    holder.reset();
    EXPECT_TRUE(loop_.run(locks_.close(in(1s))).has_value());
}

// A lease that outlives its manager is lost and harmless.
TEST_F(InMemoryLockManager, LeavesLostLeasesBehindWhenItIsDestroyed) {
    std::optional<in_memory_lock_manager> gone;
    gone.emplace(loop_);
    result<held_lease> lock = loop_.run(gone->acquire(room("r1"), deadline::never()));
    ASSERT_TRUE(lock.has_value());
    gone.reset();
    EXPECT_EQ((*lock)->state(), lease_state::lost);
    EXPECT_EQ(loop_.run((*lock)->release()).error(), errc::lease_lost);
}

// The maker that applications use hands out the manager of one process.
TEST_F(InMemoryLockManager, IsMadeAsAManagerOfOneProcess) {
    const std::unique_ptr<lock_manager> made = make_in_memory_lock_manager(loop_);
    EXPECT_TRUE(made->is_process_local());
    EXPECT_TRUE(loop_.run(made->try_acquire(room("r1"))).has_value());
}

}  // namespace
}  // namespace convene
