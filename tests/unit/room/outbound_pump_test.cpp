// SPDX-License-Identifier: Apache-2.0
// The outbound pump: order, retries, dead letters, leadership, and what a stop or a failing store
// leaves.
#include "room/outbound_pump.hpp"

#include "convene/channels/scripted_channel.hpp"
#include "convene/memory_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "runtime/manual_loop.hpp"
#include "store/store.hpp"
#include "support/scripted_random.hpp"
#include "support/store_fixtures.hpp"
#include "unit/channel/interposed_store.hpp"

namespace convene {
namespace {

/// The wall clock of a world whose only time is the loop's.
class loop_clock final : public wall_clock {
   public:
    explicit loop_clock(const executor& loop) : loop_(loop) {}

    [[nodiscard]] wall_time now() const override {
        return wall_time{std::chrono::duration_cast<microseconds>(loop_.now().time_since_epoch())};
    }

   private:
    const executor& loop_;
};

/// A lease whose state the test sets.
class scripted_lease final : public lease {
   public:
    struct control {
        lease_state state = lease_state::held;
        cancel_source lost;
        bool is_released = false;
    };

    explicit scripted_lease(control& by) : by_(by) {}

    [[nodiscard]] const lease_name& name() const noexcept override { return name_; }

    [[nodiscard]] lease_state state() const noexcept override { return by_.state; }

    [[nodiscard]] bool is_wanted() const noexcept override { return false; }

    [[nodiscard]] cancel_source& lost() noexcept override { return by_.lost; }

    [[nodiscard]] awaitable<result<>> release() override {
        by_.is_released = true;
        co_return result<>{};
    }

   private:
    const lease_name name_ = lease_name::leader("outbound");
    control& by_;
};

constexpr seconds between_tries{1};

/// Gives out one lease; the next one only when the test has another ready.
class scripted_locks final : public lock_manager {
   public:
    std::vector<scripted_lease::control*> ready;

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(
        lease_name /*name*/, deadline /*until*/
    ) override {
        while (ready.empty()) {
            const result<> waited = co_await sleep_for(between_tries);
            if (!waited) {
                co_return waited.error();
            }
        }
        auto given = std::make_unique<scripted_lease>(*ready.back());
        ready.pop_back();
        co_return given;
    }

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name /*name*/)
        override {
        co_return errc::lease_busy;
    }

    [[nodiscard]] bool is_process_local() const noexcept override { return true; }

    [[nodiscard]] awaitable<result<>> close(deadline /*until*/) override { co_return result<>{}; }
};

awaitable<result<>> refuse(std::string /*operation*/) { co_return errc::store_busy; }

awaitable<result<>> allow(std::string /*operation*/) { co_return result<>{}; }

/// Refuses operations of one name.
interposed_store::interposed refuse_only(std::string name) {
    return [name = std::move(name)](std::string operation) {
        return operation == name ? refuse(operation) : allow(operation);
    };
}

/// Lets the first of a name through and refuses the others.
interposed_store::interposed refuse_after_first(std::string name) {
    return [name = std::move(name), seen = 0](std::string operation) mutable {
        const bool is_refused = operation == name && ++seen > 1;
        return is_refused ? refuse(operation) : allow(operation);
    };
}

class OutboundPump : public testing::Test {
   protected:
    OutboundPump() {
        EXPECT_TRUE(channels_.add(phone_).has_value());
        ops::create_room opened{
            make_room("r"), {make_binding("r", "phone"), make_binding("r", "desk")}, {}
        };
        for (binding& attached : opened.bindings) {
            attached.retry = retry_policy{1, milliseconds{10'000}, milliseconds{60'000}, 2.0};
        }
        ask(opened);
        ops::register_worker me;
        me.worker.incarnation = worker_one();
        ask(me);
    }

    ~OutboundPump() override { stop(); }

    [[nodiscard]] outbound_pump::parts parts() {
        outbound_pump::parts parts;
        parts.where = &loop_;
        parts.store = &store_;
        parts.locks = locks_.get();
        parts.channels = &channels_;
        parts.runner = &runner_;
        parts.order = &order_;
        parts.clock = &clock_;
        parts.organization_of = [this](room_id) { return organization(this); };
        return parts;
    }

    void start() {
        pump_.emplace(parts());
        EXPECT_TRUE(loop_.run(pump_->start(worker_one())).has_value());
        loop_.run_ready();
    }

    void stop(milliseconds grace = milliseconds{0}) {
        if (pump_) {
            loop_.run(pump_->stop(deadline{loop_.now() + grace}));
            pump_.reset();
        }
    }

    template <class Op>
    typename Op::answer ask(Op request) {
        auto answer = loop_.run(memory_->run(std::move(request)));
        EXPECT_TRUE(answer.has_value());
        return std::move(*answer);
    }

    /// Commits an event for a channel and queues its delivery, as a lane does when it defers one.
    outbound_item defer(
        std::string event,
        std::string address = "555",
        std::string channel = "phone",
        incarnation_id owner = worker_one()
    ) {
        outbound_item item = defer_elsewhere(
            std::move(event), std::move(address), std::move(channel), std::move(owner)
        );
        if (pump_) {
            pump_->notify_deferred({item});
            loop_.run_ready();
        }
        return item;
    }

    /// The same on another worker: the pump is not told.
    outbound_item defer_elsewhere(
        std::string event,
        std::string address = "555",
        std::string channel = "phone",
        incarnation_id owner = worker_two()
    ) {
        const room stored = ask(ops::get_room{acme(), room_id{"r"}});
        batch_on batch{stored};
        batch.add(make_message(event)).deliver_to(channel, owner);
        batch.commit().deliveries.back().address = address;
        const delivery_row row = batch.commit().deliveries.back();
        ask(batch.take());
        outbound_item item = make_outbound(row);
        item.not_before = clock_.now();
        item.id = ask(ops::put_outbound{item});
        return item;
    }

    [[nodiscard]] delivery_row row_of(const outbound_item& item) {
        const auto rows = ask(ops::list_deliveries{item.room, item.event});
        return rows.at(0);
    }

    [[nodiscard]] bool is_queued(const outbound_item& item) {
        for (const auto& line : ask(ops::list_outbound_addresses{})) {
            if (line.channel == item.channel && line.address == item.address) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::vector<framework_event> notices() { return ask(ops::list_notices{}); }

    [[nodiscard]] std::vector<std::string> sent_events() const {
        std::vector<std::string> events;
        for (const delivery_request& request : phone_->sent()) {
            events.push_back(request.event.id.str());
        }
        return events;
    }

    static awaitable<result<organization_id>> organization(OutboundPump* self) {
        if (self->is_room_gone_) {
            co_return errc::not_found;
        }
        co_return acme();
    }

    manual_loop loop_;
    loop_clock clock_{loop_};
    std::unique_ptr<conversation_store> memory_ = make_memory_store(clock_);
    interposed_store store_{*memory_};
    std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(loop_);
    channel_registry channels_;
    outbound_order order_{store_};
    scripted_random random_{{0x00}};  // the least jitter: a delay is 0.8 of what the policy says
    target_runner runner_{target_runner::parts{&loop_, &channels_, &order_, &random_}};
    std::shared_ptr<scripted_channel> phone_ = std::make_shared<scripted_channel>(channel_id{"phone"
    });
    bool is_room_gone_ = false;
    std::optional<outbound_pump> pump_;
};

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
    for (int death = 1; death <= 2; ++death) {
        start();
        EXPECT_EQ(phone_->attempts().size(), static_cast<std::size_t>(death));
        // What the next worker finds after a kill: nothing was given back.
        store_.before = refuse;
        stop();
        store_.before = nullptr;
    }
    start();
    EXPECT_EQ(phone_->attempts().size(), 2U);
    EXPECT_EQ(row_of(item).state, delivery_state::failed);
    EXPECT_EQ(row_of(item).outcome.error_code, "poison");
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].type, "outbound_dead_letter");
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

/// The queue has an item that a worker of a newer release planned, in front of one that this worker did.
class OutboundPumpOfAnOlderWorker : public OutboundPump {
   protected:
    OutboundPumpOfAnOlderWorker() {
        ops::register_worker newer;
        newer.worker.incarnation = incarnation_id{"newer"};
        newer.worker.format = 2;
        ask(newer);
        ops::set_worker_state gone{incarnation_id{"newer"}, ops::worker_state::dead};
        ask(gone);
    }

    /// As `defer`, of an event that the newer worker committed.
    outbound_item defer_newer(std::string event, std::string address) {
        const room stored = ask(ops::get_room{acme(), room_id{"r"}});
        batch_on batch{stored};
        room_event planned = make_message(event);
        planned.committed_by = incarnation_id{"newer"};
        batch.add(planned).deliver_to("phone", incarnation_id{"newer"});
        batch.commit().deliveries.back().address = address;
        outbound_item item = make_outbound(batch.commit().deliveries.back());
        ask(batch.take());
        item.not_before = clock_.now();
        item.id = ask(ops::put_outbound{item});
        return item;
    }
};

// It stays in the queue, untried, and keeps its destination; other destinations are served.
// Proves: D7, D12
TEST_F(OutboundPumpOfAnOlderWorker, LeavesNewerItemsInTheQueue) {
    const outbound_item newer = defer_newer("a", "555");
    const outbound_item behind = defer("b", "555");
    const outbound_item beside = defer("c", "777");
    start();
    loop_.advance(seconds{60});
    EXPECT_EQ(sent_events(), std::vector<std::string>{"c"});
    EXPECT_TRUE(is_queued(newer));
    EXPECT_EQ(row_of(newer).attempts, 0);
    EXPECT_TRUE(is_queued(behind));
    EXPECT_FALSE(is_queued(beside));
}

// It gives the lead up, so that a newer worker can have it, after what is under way has ended; and takes it again later.
// Proves: D12
TEST_F(OutboundPumpOfAnOlderWorker, LetsANewerWorkerLead) {
    auto locks = std::make_unique<scripted_locks>();
    scripted_lease::control first;
    scripted_lease::control second;
    locks->ready = {&second, &first};
    locks_ = std::move(locks);
    phone_->then(scripted_attempt::sends_after(seconds{2}));
    defer("b", "777");
    defer_newer("a", "555");
    start();
    loop_.advance(seconds{1});
    EXPECT_FALSE(first.is_released);
    loop_.advance(seconds{2});
    EXPECT_TRUE(first.is_released);
    EXPECT_EQ(sent_events(), std::vector<std::string>{"b"});
    const outbound_item meanwhile = defer("c", "999");
    EXPECT_TRUE(is_queued(meanwhile));
    loop_.advance(seconds{10});
    EXPECT_FALSE(is_queued(meanwhile));
    stop();
    EXPECT_TRUE(second.is_released);
}

class OutboundPumpOfBoundChannels : public OutboundPump {
   protected:
    OutboundPumpOfBoundChannels() {
        EXPECT_TRUE(channels_.add(desk_).has_value());
        ops::register_worker other;
        other.worker.incarnation = worker_two();
        ask(other);
    }

    [[nodiscard]] static std::shared_ptr<scripted_channel> make_desk() {
        scripted_channel_settings bound;
        bound.is_bound_to_process = true;
        return std::make_shared<scripted_channel>(channel_id{"desk"}, bound);
    }

    /// Somebody else leads from now on.
    void let_another_lead() { locks_ = std::make_unique<scripted_locks>(); }

    std::shared_ptr<scripted_channel> desk_ = make_desk();
};

// An item of a channel that only this process reaches: delivered here, although another worker
// leads. Proves: D12
TEST_F(OutboundPumpOfBoundChannels, DeliversItsOwnWithoutLeading) {
    let_another_lead();
    start();
    defer("a", "seat", "desk");
    EXPECT_EQ(desk_->sent().size(), 1U);
    defer("b");
    EXPECT_TRUE(phone_->attempts().empty());
}

// The same of a worker that lives: left to it.
// Proves: D12
TEST_F(OutboundPumpOfBoundChannels, LeavesTheItemsOfALivingWorkerAlone) {
    start();
    const outbound_item item = defer("a", "seat", "desk", worker_two());
    loop_.advance(seconds{60});
    EXPECT_TRUE(desk_->attempts().empty());
    EXPECT_TRUE(is_queued(item));
}

// That worker is dead: nobody can deliver its item any more, and it is on record as skipped.
// Proves: D8
TEST_F(OutboundPumpOfBoundChannels, SkipsTheItemsOfADeadWorker) {
    start();
    const outbound_item item = defer("a", "seat", "desk", worker_two());
    ask(ops::set_worker_state{worker_two(), ops::worker_state::dead});
    loop_.advance(seconds{20});
    EXPECT_TRUE(desk_->attempts().empty());
    EXPECT_FALSE(is_queued(item));
    EXPECT_EQ(row_of(item).state, delivery_state::skipped);
    EXPECT_EQ(row_of(item).outcome.error_code, "bound");
}

// Who owns an item can't be read for a while: it is delivered afterwards.
// Proves: D12
TEST_F(OutboundPumpOfBoundChannels, TriesAgainWhenTheOwnerCannotBeRead) {
    store_.before = refuse_only("list_deliveries");
    start();
    defer("a", "seat", "desk");
    loop_.advance(seconds{5});
    EXPECT_TRUE(desk_->attempts().empty());
    store_.before = nullptr;
    loop_.advance(seconds{5});
    EXPECT_EQ(desk_->sent().size(), 1U);
}

}  // namespace
}  // namespace convene
