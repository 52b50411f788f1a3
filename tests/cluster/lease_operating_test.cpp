// SPDX-License-Identifier: Apache-2.0
// Leases as operators see them, at any worker, and take them from their holders.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lease_scene.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

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
    const auto kept = run(second_->take_away(claim_of("r1"), stubborn_holder::keeps_it, in(1s)));
    EXPECT_EQ(kept.error(), errc::timed_out);
    EXPECT_EQ(held->state(), lease_state::lost) << "it was told";
    EXPECT_EQ(beside->state(), lease_state::held);
    EXPECT_EQ(run(second_->try_acquire(claim_of("r1"))).error(), errc::lease_busy);

    const auto ended = run(
        second_->take_away(claim_of("r1"), stubborn_holder::loses_its_session, in(1s))
    );
    ASSERT_TRUE(ended) << ended.error();
    EXPECT_EQ(*ended, lease_release::session_ended);
    EXPECT_EQ(run(with_deadline(soon(), until_lost(beside.get()))).error(), errc::lease_lost);
    EXPECT_EQ(room->state(), lease_state::held);
    EXPECT_EQ(others->state(), lease_state::held);

    // Whoever has it next is shown, and nobody else, although the one that lost it still clings to it.
    const auto next = must_acquire(*second_, claim_of("r1"));
    EXPECT_EQ(run(until_shown(first_.get(), claim_of("r1"), 0)).worker, second_id());
    const auto theirs = run(first_->take_away(claim_of("r1"), stubborn_holder::keeps_it, in(1s)));
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

}  // namespace

}  // namespace convene
