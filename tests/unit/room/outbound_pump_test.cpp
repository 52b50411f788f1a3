// SPDX-License-Identifier: Apache-2.0
// The outbound pump: order, retries, dead letters, leadership, and what a stop or a failing store leaves.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/room/outbound_pump_scene.hpp"

namespace convene {
namespace {

// Something was deferred before this start of the worker: it is delivered, recorded, and its
// destination is free. Proves: D12
TEST_F(OutboundPump, DeliversWhatWasDeferredBeforeARestart) {
    const outbound_item item = defer("a");
    start();
    EXPECT_TRUE(sent_events() == std::vector<std::string>{"a"});
    EXPECT_EQ(phone_->sent()[0].id, item.delivery);
    EXPECT_EQ(row_of(item).state, delivery_state::done);
    EXPECT_FALSE(is_queued(item));
    EXPECT_EQ(order_.size(), 0U);
}

// Something is deferred while the pump sleeps: it is delivered without a poll in between.
// Proves: D12
TEST_F(OutboundPump, WakesForWhatIsDeferred) {
    start();
    defer("a");
    EXPECT_EQ(phone_->sent().size(), 1U);
}

// An item is due in 2.5 s: it is sent then, neither before nor at the next poll after.
// Proves: D12
TEST_F(OutboundPump, DeliversWhenAnItemIsDue) {
    start();
    phone_->then(scripted_attempt::asks_to_wait(milliseconds{12'500}));
    defer("a");
    EXPECT_EQ(phone_->attempts().size(), 1U);
    loop_.advance(milliseconds{12'499});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    loop_.advance(milliseconds{1});
    EXPECT_EQ(phone_->sent().size(), 1U);
}

// The first of three for one address fails once: the others wait for it, all come in order.
// Proves: D12
TEST_F(OutboundPump, KeepsTheOrderOfADestination) {
    phone_->then(scripted_attempt::fails_for_now());
    defer("a");
    defer("b");
    defer("c");
    start();
    EXPECT_TRUE(sent_events().empty());
    EXPECT_TRUE(order_.is_waiting({channel_id{"phone"}, "555"}));
    loop_.advance(seconds{60});
    EXPECT_EQ(sent_events(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_FALSE(order_.is_waiting({channel_id{"phone"}, "555"}));
}

// The leader delivers an item that another worker put in front of its own: its own still waits, and what comes
// later to the destination may not overtake it.
// Proves: D2, D12
TEST_F(OutboundPump, RemembersItsOwnItemsBehindThoseOfOtherWorkers) {
    phone_->then(scripted_attempt::sends()).then(scripted_attempt::sends_after(seconds{2}));
    start();
    defer_elsewhere("a");
    const outbound_item own = defer("b");
    EXPECT_EQ(sent_events(), std::vector<std::string>{"a"});
    EXPECT_TRUE(is_queued(own));
    EXPECT_TRUE(order_.is_waiting({channel_id{"phone"}, "555"}));
    loop_.advance(seconds{3});
    EXPECT_EQ(sent_events(), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(order_.is_waiting({channel_id{"phone"}, "555"}));
}

// A destination is drained while another one hangs: it is free soon, not when nothing is under way any more.
// Proves: D12
TEST_F(OutboundPump, FreesADrainedDestinationBesideAHangingOne) {
    phone_->then(scripted_attempt::hangs());
    defer("a", "1");
    start();
    defer("b", "2");
    EXPECT_EQ(sent_events(), std::vector<std::string>{"b"});
    loop_.advance(seconds{3});
    EXPECT_TRUE(order_.is_waiting({channel_id{"phone"}, "1"}));
    EXPECT_FALSE(order_.is_waiting({channel_id{"phone"}, "2"}));
}

// One address hangs: another one is served meanwhile.
// Proves: D12
TEST_F(OutboundPump, ServesOtherDestinationsBesideAHangingOne) {
    phone_->then(scripted_attempt::hangs());
    defer("a", "1");
    defer("b", "2");
    start();
    EXPECT_EQ(sent_events(), std::vector<std::string>{"b"});
}

// Forty addresses at once: a bounded number is under way, and all are served in the end.
// Proves: D12
TEST_F(OutboundPump, BoundsHowManyDestinationsItServesAtOnce) {
    phone_->otherwise(scripted_attempt::sends_after(milliseconds{500}));
    for (int i = 0; i < 40; ++i) {
        defer("e" + std::to_string(i), std::to_string(i));
    }
    start();
    EXPECT_EQ(phone_->attempts().size(), 16U);
    loop_.advance(seconds{10});
    EXPECT_EQ(phone_->sent().size(), 40U);
}

// A retry survives in the store: attempts so far and the reason are there to be seen.
// Proves: D12
TEST_F(OutboundPump, StoresARetryWithItsReason) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    const outbound_item item = defer("a");
    start();
    EXPECT_TRUE(is_queued(item));
    stop();
    loop_.advance(seconds{20});
    const auto due = ask(ops::take_due_outbound{});
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].attempts, 1);
    EXPECT_EQ(due[0].last_error, "the script says so");
    EXPECT_EQ(due[0].not_before - item.not_before, milliseconds{8'000});
}

// The retries are used up: the row fails with the last reason, a notice says so, and the next in
// line goes. Proves: D12, R19
TEST_F(OutboundPump, MakesADeadLetterOfWhatCannotBeDelivered) {
    phone_->then(scripted_attempt::fails_for_now()).then(scripted_attempt::fails_for_now());
    const outbound_item dead = defer("a");
    defer("b");
    start();
    loop_.advance(seconds{30});
    const delivery_row row = row_of(dead);
    EXPECT_EQ(row.state, delivery_state::failed);
    EXPECT_EQ(row.attempts, 2);
    EXPECT_EQ(row.outcome.error_code, "scripted_failure");
    const auto told = notices();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].type, "outbound_dead_letter");
    EXPECT_EQ(told[0].organization, acme());
    EXPECT_EQ(told[0].event, event_id{"a"});
    EXPECT_EQ(
        told[0].data.str(),
        R"({"delivery":"r/a/phone","channel":"phone","address":"555","attempts":2,)"
        R"("error_code":"scripted_failure"})"
    );
    EXPECT_EQ(sent_events(), std::vector<std::string>{"b"});
}

// The channel left the room since: a dead letter, not an endless wait.
// Proves: D12
TEST_F(OutboundPump, MakesADeadLetterOfWhatLostItsChannel) {
    const outbound_item item = defer("a");
    ask(ops::remove_binding{acme(), room_id{"r"}, channel_id{"phone"}});
    start();
    EXPECT_EQ(row_of(item).state, delivery_state::failed);
    EXPECT_EQ(row_of(item).outcome.error_code, "channel_detached");
    EXPECT_EQ(notices().size(), 1U);
    EXPECT_TRUE(phone_->attempts().empty());
}

// The room is gone: the item leaves the queue as skipped, and nothing is sent.
// Proves: D12
TEST_F(OutboundPump, SkipsWhatWasDeleted) {
    const outbound_item item = defer("a");
    is_room_gone_ = true;
    start();
    EXPECT_FALSE(is_queued(item));
    EXPECT_EQ(row_of(item).state, delivery_state::skipped);
    EXPECT_TRUE(phone_->attempts().empty());
}

// The breaker of the destination opens in the queue: the notice is stored with its organisation.
// Proves: D12, R19
TEST_F(OutboundPump, StoresNoticesOfTheBreaker) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    for (const char* event : {"a", "b", "c"}) {
        defer(event);
    }
    start();
    loop_.advance(seconds{60});
    const auto told = notices();
    const auto opened = std::ranges::find(told, "circuit_breaker_opened", &framework_event::type);
    ASSERT_NE(opened, told.end());
    EXPECT_EQ(opened->organization, acme());
}

// The store takes reads but no writes for a while after a delivery: it is not sent again, and
// recorded when it can be.
// Proves: D13
TEST_F(OutboundPump, DoesNotSendAgainWhatItCouldNotRecord) {
    store_.before = refuse_after_first("finish_outbound"
    );  // the first notes that the attempt begins
    const outbound_item item = defer("a");
    start();
    loop_.advance(seconds{300});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    EXPECT_TRUE(is_queued(item));
    store_.before = nullptr;
    loop_.advance(seconds{10});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    EXPECT_EQ(row_of(item).state, delivery_state::done);
}

// The store can't be read for a while: the item is delivered afterwards.
// Proves: D12
TEST_F(OutboundPump, TriesAgainWhenTheStoreCannotBeRead) {
    for (const char* operation : {"take_due_outbound", "get_event", "load_room_context"}) {
        store_.before = refuse_only(operation);
        const outbound_item item = defer(operation, operation);
        if (!pump_) {
            start();
        }
        loop_.advance(seconds{5});
        EXPECT_TRUE(is_queued(item)) << operation;
        store_.before = nullptr;
        loop_.advance(seconds{5});
        EXPECT_FALSE(is_queued(item)) << operation;
    }
}

// The queue can't be read at the start: the pump says so and nothing runs.
// Proves: D12
TEST_F(OutboundPump, DoesNotStartWithoutKnowingTheQueue) {
    store_.before = refuse;
    pump_.emplace(parts());
    EXPECT_EQ(loop_.run(pump_->start(worker_one())).error(), errc::store_busy);
}

// Two workers: one works, and the other one goes on when the first stops.
// Proves: D12
TEST_F(OutboundPump, LetsOneWorkerAtATimeWork) {
    start();
    outbound_pump second{parts()};
    EXPECT_TRUE(loop_.run(second.start(worker_two())).has_value());
    phone_->otherwise(scripted_attempt::sends_after(milliseconds{100}));
    defer("a");
    loop_.advance(seconds{5});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    stop();
    defer("b");
    loop_.advance(seconds{5});
    EXPECT_EQ(sent_events(), (std::vector<std::string>{"a", "b"}));
    loop_.run(second.stop(deadline::never()));
}

// Leadership is suspect: nothing new is sent; held again: it is.
// Proves: L6, D12
TEST_F(OutboundPump, StartsNothingWhileItsLeaseIsSuspect) {
    auto locks = std::make_unique<scripted_locks>();
    scripted_lease::control held;
    locks->ready.push_back(&held);
    locks_ = std::move(locks);
    start();
    held.state = lease_state::suspect;
    defer("a");
    loop_.advance(seconds{5});
    EXPECT_TRUE(phone_->attempts().empty());
    held.state = lease_state::held;
    loop_.advance(seconds{2});
    EXPECT_EQ(phone_->sent().size(), 1U);
    stop();
    EXPECT_TRUE(held.is_released);
}

// Leadership is lost in the middle of an attempt: the attempt is cancelled and nothing recorded;
// with a new lease it is made again. Proves: L6, D12
TEST_F(OutboundPump, CancelsWhatRunsWhenItsLeaseIsLost) {
    auto given = std::make_unique<scripted_locks>();
    scripted_locks& locks = *given;
    scripted_lease::control first;
    scripted_lease::control second;
    locks.ready.push_back(&first);
    locks_ = std::move(given);
    phone_->then(scripted_attempt::hangs());
    start();
    const outbound_item item = defer("a");
    first.state = lease_state::lost;
    first.lost.request(errc::lease_lost);
    loop_.advance(seconds{5});
    EXPECT_EQ(phone_->attempts().size(), 1U);
    EXPECT_TRUE(is_queued(item));
    EXPECT_EQ(row_of(item).state, delivery_state::pending);
    locks.ready.push_back(&second);
    loop_.advance(seconds{5});
    EXPECT_EQ(phone_->sent().size(), 1U);
    EXPECT_EQ(phone_->sent()[0].attempt, 1);
    stop();
}

// A stop gives a running delivery time to end, and it is recorded.
// Proves: D15
TEST_F(OutboundPump, LetsARunningDeliveryEndWhenItStops) {
    phone_->then(scripted_attempt::sends_after(seconds{2}));
    start();
    const outbound_item item = defer("a");
    stop(seconds{5});
    EXPECT_EQ(row_of(item).state, delivery_state::done);
}

// A delivery that does not end in time is cancelled by the stop: it stays in the queue, untouched.
// Proves: D15
TEST_F(OutboundPump, LeavesWhatItCouldNotFinishInTheQueue) {
    phone_->then(scripted_attempt::hangs());
    start();
    const outbound_item item = defer("a");
    stop(seconds{1});
    EXPECT_TRUE(is_queued(item));
    EXPECT_EQ(row_of(item).state, delivery_state::pending);
    EXPECT_EQ(ask(ops::take_due_outbound{}).size(), 1U);
}

}  // namespace
}  // namespace convene
