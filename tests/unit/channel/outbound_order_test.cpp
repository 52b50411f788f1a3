// SPDX-License-Identifier: Apache-2.0
// The outbound order: what is known of the queue, after changes here and elsewhere.
#include "channel/outbound_order.hpp"

#include "convene/memory_store.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/manual_loop.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "unit/channel/interposed_store.hpp"

namespace convene {
namespace {

const destination here{channel_id{"sms"}, "1"};
const destination there{channel_id{"sms"}, "2"};

class OutboundOrder : public testing::Test {
   protected:
    /// Another worker, or an earlier start of this one, defers a delivery.
    std::int64_t store_item(const destination& to) {
        ops::put_outbound put;
        put.item.channel = to.channel;
        put.item.address = to.address;
        const auto id = loop_.run(store_->run(put));
        EXPECT_TRUE(id.has_value());
        return id ? *id : 0;
    }

    void drop_item(std::int64_t id) {
        ops::finish_outbound finish;
        finish.id = id;
        EXPECT_TRUE(loop_.run(store_->run(finish)).has_value());
    }

    void refresh() { EXPECT_TRUE(loop_.run(order_.refresh()).has_value()); }

    manual_loop loop_;
    manual_wall_clock clock_;
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    outbound_order order_{*store_};
};

// After a restart the destinations that waited before it wait again.
// Proves: D12
TEST_F(OutboundOrder, KnowsAfterARestartWhoWaits) {
    store_item(here);
    EXPECT_FALSE(order_.is_waiting(here));
    refresh();
    EXPECT_TRUE(order_.is_waiting(here));
    EXPECT_FALSE(order_.is_waiting(there));
}

// Two items are waiting, one of which another worker put there: the destination waits until both are gone.
// Proves: D12
TEST_F(OutboundOrder, WaitsUntilTheLastItemIsGone) {
    const std::int64_t other = store_item(here);
    const std::int64_t own = store_item(here);
    order_.added(here);
    drop_item(other);
    refresh();
    EXPECT_TRUE(order_.is_waiting(here));
    drop_item(own);
    refresh();
    EXPECT_FALSE(order_.is_waiting(here));
    EXPECT_EQ(order_.size(), 0U);
}

// A doubt about a room stays until its items, or all, were asked for after it; another room's settle nothing.
// Proves: D12
TEST_F(OutboundOrder, IsInDoubtUntilItHasLooked) {
    const room_id room{"r"};
    EXPECT_FALSE(order_.is_in_doubt(room));
    order_.doubt(room);
    EXPECT_TRUE(order_.is_in_doubt(room));
    EXPECT_FALSE(order_.is_in_doubt(room_id{"other"}));
    EXPECT_TRUE(loop_.run(order_.learn(room_id{"other"})).has_value());
    EXPECT_TRUE(order_.is_in_doubt(room));
    EXPECT_TRUE(loop_.run(order_.learn(room)).has_value());
    EXPECT_FALSE(order_.is_in_doubt(room));
    order_.doubt(room);
    store_item(here);
    refresh();
    EXPECT_FALSE(order_.is_in_doubt(room));
    EXPECT_TRUE(order_.is_waiting(here));
}

// Another worker drained a destination: the next refresh forgets it.
// Proves: D12
TEST_F(OutboundOrder, ForgetsWhatWasDrainedElsewhere) {
    const std::int64_t id = store_item(here);
    refresh();
    drop_item(id);
    refresh();
    EXPECT_FALSE(order_.is_waiting(here));
}

// A room comes from another worker: where its items wait is learned, and the rest of the queue is not read.
// Proves: D12
TEST_F(OutboundOrder, LearnsOfARoom) {
    store_item(here);
    ops::put_outbound put;
    put.item.room = room_id{"r"};
    put.item.channel = there.channel;
    put.item.address = there.address;
    EXPECT_TRUE(loop_.run(store_->run(put)).has_value());
    EXPECT_TRUE(loop_.run(order_.learn(room_id{"r"})).has_value());
    EXPECT_TRUE(order_.is_waiting(there));
    EXPECT_FALSE(order_.is_waiting(here));
    refresh();
    EXPECT_TRUE(order_.is_waiting(here));
    EXPECT_TRUE(order_.is_waiting(there));
}

awaitable<result<>> answer_late(std::string /*operation*/) { return sleep_for(seconds{1}); }

awaitable<result<>> refuse(std::string /*operation*/) { co_return errc::store_busy; }

// While the list is on its way one destination gets an item and another is drained: the list is
// older than both, and neither the new item is missed nor the drained one missed for good. Proves:
// D12
TEST_F(OutboundOrder, KeepsWhatChangesDuringARefresh) {
    interposed_store slow{*store_};
    outbound_order order{slow};
    order.added(here);
    const std::int64_t id = store_item(here);
    slow.after = answer_late;

    task_scope scope{loop_};
    auto refresh_once = [](outbound_order* refreshed) -> awaitable<void> {
        const result<> done = co_await refreshed->refresh();
        EXPECT_TRUE(done.has_value());
    };
    scope.spawn("refresh", refresh_once(&order));
    loop_.run_ready();
    order.added(there);
    drop_item(id);
    loop_.advance(seconds{1});

    EXPECT_TRUE(order.is_waiting(there));
    slow.after = nullptr;
    EXPECT_TRUE(loop_.run(order.refresh()).has_value());
    EXPECT_FALSE(order.is_waiting(here));
}

// Two lists are asked for, and the older one comes last: it does not take out what the newer one named.
// Proves: D12
TEST_F(OutboundOrder, AnOlderListTakesNothingOutOfANewerOne) {
    interposed_store slow{*store_};
    outbound_order order{slow};
    slow.after = answer_late;
    task_scope scope{loop_};
    auto refresh_once = [](outbound_order* refreshed) -> awaitable<void> {
        const result<> done = co_await refreshed->refresh();
        EXPECT_TRUE(done.has_value());
    };
    scope.spawn("older list", refresh_once(&order));
    loop_.run_ready();
    slow.after = nullptr;
    store_item(here);
    EXPECT_TRUE(loop_.run(order.refresh()).has_value());
    EXPECT_TRUE(order.is_waiting(here));
    loop_.advance(seconds{1});
    EXPECT_EQ(scope.size(), 0U);
    EXPECT_TRUE(order.is_waiting(here));
}

// A list that was asked for before settles nothing.
// Proves: D12
TEST_F(OutboundOrder, IsInDoubtBeyondAListThatWasOnItsWay) {
    interposed_store slow{*store_};
    outbound_order order{slow};
    slow.after = answer_late;
    task_scope scope{loop_};
    auto refresh_once = [](outbound_order* refreshed) -> awaitable<void> {
        const result<> done = co_await refreshed->refresh();
        EXPECT_TRUE(done.has_value());
    };
    scope.spawn("refresh", refresh_once(&order));
    loop_.run_ready();
    order.doubt(room_id{"r"});
    loop_.advance(seconds{1});
    EXPECT_EQ(scope.size(), 0U);
    EXPECT_TRUE(order.is_in_doubt(room_id{"r"}));
}

// The store can't be read: what was known stays known.
// Proves: D12
TEST_F(OutboundOrder, KeepsWhatItKnowsWhenTheStoreFails) {
    interposed_store failing{*store_};
    outbound_order order{failing};
    order.added(here);
    failing.before = refuse;
    EXPECT_EQ(loop_.run(order.refresh()).error(), errc::store_busy);
    EXPECT_TRUE(order.is_waiting(here));
}

}  // namespace
}  // namespace convene
