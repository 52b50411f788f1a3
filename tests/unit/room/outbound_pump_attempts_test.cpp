// SPDX-License-Identifier: Apache-2.0
// The outbound pump: which attempts count, and when they have killed enough workers.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/room/outbound_pump_scene.hpp"

namespace convene {
namespace {

// An attempt that can't be noted is not made: if it took its worker with it, it would be made for ever.
// Proves: D8, D12
TEST_F(OutboundPump, BeginsNoAttemptThatItCannotNote) {
    store_.before = refuse_only("finish_outbound");
    defer("a");
    start();
    loop_.advance(seconds{5});
    EXPECT_TRUE(phone_->attempts().empty());
    store_.before = nullptr;
    loop_.advance(seconds{5});
    EXPECT_EQ(phone_->sent().size(), 1U);
}

// A delivery takes its worker with it, and the next one, and the next: each attempt counts, and when the
// retries are used up the item is a dead letter instead of the end of every worker.
// Proves: D8, D12
TEST_F(OutboundPump, ADeliveryThatKillsItsWorkersIsADeadLetterInTheEnd) {
    phone_->otherwise(scripted_attempt::hangs());
    const outbound_item item = defer("a");
    for (const char* worker : {"first", "second"}) {
        begin_and_vanish(incarnation_id{worker});
        bury(incarnation_id{worker});
    }
    EXPECT_EQ(phone_->attempts().size(), 2U);
    start();
    EXPECT_EQ(phone_->attempts().size(), 2U);
    EXPECT_EQ(row_of(item).state, delivery_state::failed);
    EXPECT_EQ(row_of(item).outcome.error_code, "poison");
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].type, "outbound_dead_letter");
}

// Workers that lost the lead in the middle, and could not say so, live: nothing has killed them, and no attempt counts.
// Whether they live is looked at for a while, since a dead one is not buried at once.
// Proves: D8, D12
TEST_F(OutboundPump, AnAttemptOfAWorkerThatLivesDoesNotCount) {
    phone_->then(scripted_attempt::hangs());
    phone_->then(scripted_attempt::hangs());
    phone_->then(scripted_attempt::hangs());
    const outbound_item item = defer("a");
    for (const char* worker : {"first", "second", "third"}) {
        begin_and_vanish(incarnation_id{worker});
        start();
        loop_.advance(seconds{9});
        EXPECT_TRUE(is_queued(item));
        stop();
    }
    EXPECT_EQ(phone_->attempts().size(), 1U);
    start();
    loop_.advance(seconds{12});
    EXPECT_EQ(phone_->attempts().size(), 2U);
    EXPECT_EQ(ask(ops::take_due_outbound{}).front().attempts, 1);
}

// One whose death is proven while it is in doubt has used up its attempt.
// Proves: D8, D12
TEST_F(OutboundPump, AnAttemptCountsWhenItsWorkerTurnsOutToBeDead) {
    phone_->then(scripted_attempt::hangs());
    defer("a");
    begin_and_vanish(incarnation_id{"first"});
    start();
    loop_.advance(seconds{3});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    bury(incarnation_id{"first"});
    loop_.advance(seconds{3});
    ASSERT_EQ(phone_->attempts().size(), 2U);
    EXPECT_EQ(phone_->attempts().back().attempt, 2);
}

// An attempt that was noted, but whose worker did not hear so, was not made: however often that is, the item is delivered.
// Proves: D8, D12
TEST_F(OutboundPump, ANoteThatWasNotAnsweredIsNoAttempt) {
    const outbound_item item = defer("a");
    for (int failure = 1; failure <= 5; ++failure) {
        store_.after = refuse_only("finish_outbound");
        start();
        stop();
        store_.after = nullptr;
    }
    start();
    EXPECT_EQ(phone_->sent().size(), 1U);
    EXPECT_EQ(row_of(item).state, delivery_state::done);
}

// A worker that is told to stop gives its attempt back: stopping uses up no retry.
// Proves: D12, D15
TEST_F(OutboundPump, AStoppedAttemptDoesNotCount) {
    phone_->otherwise(scripted_attempt::hangs());
    const outbound_item item = defer("a");
    for (int stopped = 1; stopped <= 5; ++stopped) {
        start();
        EXPECT_EQ(phone_->attempts().size(), static_cast<std::size_t>(stopped));
        stop();
    }
    EXPECT_TRUE(is_queued(item));
}

}  // namespace
}  // namespace convene
