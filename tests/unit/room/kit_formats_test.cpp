// SPDX-License-Identifier: Apache-2.0
// Workers of two releases on one store: the older leaves what the newer planned, the newer reads both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

using indexes = std::vector<std::int64_t>;

constexpr std::int32_t older = 1;
constexpr std::int32_t newer = 2;

const room_id the_room{"r"};

/// A worker that commits two messages and dies while the first is being delivered.
void leave_plans(const std::shared_ptr<shared_world>& world, std::int32_t format) {
    kit_scene dying{world, {}, format};
    dying.phone->otherwise(scripted_attempt::hangs());
    dying.open();
    ASSERT_TRUE(dying.send(kit_scene::says("0"), wait_for::committed));
    ASSERT_TRUE(dying.send(kit_scene::says("1"), wait_for::committed));
    dying.loop.run_ready();
    dying.crash();
}

// A worker says in its row which format it writes.
// Proves: D1
TEST(KitFormats, AreOnRecordWithTheWorker) {
    kit_scene scene{std::make_shared<shared_world>(), {}, newer};
    scene.open();
    EXPECT_EQ(scene.ask(ops::list_workers{}).front().format, newer);
}

// An older worker finds what a newer one left, and waits for a newer worker however long: nothing is tried, counted as a
// takeover or skipped, under either policy. Its own message waits behind it.
// Proves: D2, D3, D7
TEST(KitFormats, LeaveNewerPlansToNewerWorkers) {
    for (const delivery_recovery policy : {delivery_recovery::redeliver, delivery_recovery::skip}) {
        room_kit_settings settings;
        settings.recovery = policy;
        auto world = std::make_shared<shared_world>();
        leave_plans(world, newer);
        {
            kit_scene old{world, settings, older};
            old.reopen();
            ASSERT_TRUE(old.send(kit_scene::says("2"), wait_for::committed));
            old.loop.advance(seconds{120});
            EXPECT_THAT(old.phone->attempts(), IsEmpty());
            EXPECT_THAT(old.ask(ops::list_skips{the_room}), IsEmpty());
            const delivery_cursor cursor = old.ask(ops::get_cursor{the_room});
            EXPECT_EQ(cursor.delivered, event_index::none());
            EXPECT_EQ(cursor.takeovers, 0);
            old.crash();
        }
        kit_scene next{world, {}, newer};
        next.reopen();
        next.loop.advance(milliseconds{200});
        EXPECT_EQ(indexes_of(next.phone->sent()), (indexes{0, 1, 2}));
    }
}

// What a newer worker handed over in order is left to newer ones as well.
// Proves: D7, D15
TEST(KitFormats, LeaveWhatANewerWorkerHandedOver) {
    auto world = std::make_shared<shared_world>();
    {
        kit_scene leaving{world, {}, newer};
        leaving.phone->otherwise(scripted_attempt::hangs());
        leaving.open();
        ASSERT_TRUE(leaving.send(kit_scene::says("0"), wait_for::committed));
    }
    kit_scene old{world, {}, older};
    old.reopen();
    old.loop.advance(seconds{60});
    EXPECT_THAT(old.phone->attempts(), IsEmpty());
    EXPECT_EQ(old.stored_room().delivered_index, event_index::none());
}

// An older worker adopts nothing of a newer plan behind the cursor either: an after-hook's row keeps its dead owner.
// Proves: D7, D11
TEST(KitFormats, LeaveNewerRowsBehindTheCursor) {
    auto world = std::make_shared<shared_world>();
    leave_plans(world, newer);
    kit_scene old{world, {}, older};
    const event_id first = old.timeline().front().id;
    const incarnation_id dead = old.timeline().front().committed_by;
    const auto cursor = old.ask(ops::get_cursor{the_room});
    ops::finish_set step;
    step.room = the_room;
    step.claim_epoch = cursor.claim_epoch;
    step.index = event_index{0};
    step.advance_to = event_index{0};
    old.ask(step);
    old.reopen();
    old.loop.advance(seconds{10});
    const auto rows = old.ask(ops::list_deliveries{the_room, first});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().committed_by, dead);
    EXPECT_THAT(old.phone->attempts(), IsEmpty());
}

// A newer worker takes over what an older one left.
// Proves: D7
TEST(KitFormats, TakeOverOlderPlans) {
    auto world = std::make_shared<shared_world>();
    leave_plans(world, older);
    kit_scene next{world, {}, newer};
    next.reopen();
    next.loop.advance(milliseconds{200});
    EXPECT_EQ(indexes_of(next.phone->sent()), (indexes{0, 1}));
}

// Events of a busy room are not left to a worker that could not read them; it may leave its own to a newer one.
// Proves: D1, D9
TEST(KitFormats, LeaveABusyRoomOnlyToWhoReadsIt) {
    for (const std::int32_t of_other : {older, newer}) {
        for (const std::int32_t mine : {older, newer}) {
            kit_scene scene{std::make_shared<shared_world>(), {}, mine};
            scene.phone->otherwise(scripted_attempt::hangs());
            scene.open();
            ASSERT_TRUE(scene.send(kit_scene::says("first"), wait_for::committed));
            scene.loop.run_ready();
            ops::register_worker other;
            other.worker.incarnation = incarnation_id{"other"};
            other.worker.format = of_other;
            scene.ask(other);
            const auto cursor = scene.ask(ops::get_cursor{the_room});
            scene.ask(ops::claim_cursor{the_room, incarnation_id{"other"}, cursor.claim_epoch, {}});
            scene.bell.connected = true;
            const auto receipt = scene.send(kit_scene::says("second"), wait_for::committed);
            ASSERT_TRUE(receipt);
            const auto rows = scene.ask(ops::list_deliveries{the_room, receipt->event.id});
            const bool is_left = rows.front().committed_by == incarnation_id{"other"};
            EXPECT_EQ(is_left, of_other >= mine) << of_other << " for " << mine;
        }
    }
}

}  // namespace
}  // namespace convene
