// SPDX-License-Identifier: Apache-2.0
// Rooms that several workers write to: who delivers what (decision 0011).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

using indexes = std::vector<std::int64_t>;

const room_id the_room{"r"};

/// A worker whose room has an event that another, living worker is about to deliver.
class Leaving : public testing::Test {
   protected:
    Leaving() {
        scene_.phone->otherwise(scripted_attempt::hangs());
        scene_.open();
        EXPECT_TRUE(scene_.send(kit_scene::says("first"), wait_for::committed));
        scene_.loop.run_ready();
        ops::register_worker known;
        known.worker.incarnation = other_;
        scene_.ask(known);
        const auto cursor = scene_.ask(ops::get_cursor{the_room});
        scene_.ask(ops::claim_cursor{the_room, other_, cursor.claim_epoch, {}});
        scene_.bell.connected = true;
    }

    std::vector<incarnation_id> owners_of(const event_id& event) {
        std::vector<incarnation_id> owners;
        for (const delivery_row& row : scene_.ask(ops::list_deliveries{the_room, event})) {
            owners.push_back(row.committed_by);
        }
        return owners;
    }

    result<send_receipt> commit(std::string text) {
        return scene_.send(kit_scene::says(std::move(text)), wait_for::committed);
    }

    const incarnation_id other_{"other"};
    kit_scene scene_;
};

// While events wait in a room that another living worker delivers, what is committed is that worker's, and it is told.
// Proves: D1, D9
TEST_F(Leaving, GivesABusyRoomsEventsToWhoDelivers) {
    const auto receipt = commit("second");
    ASSERT_TRUE(receipt);
    EXPECT_THAT(owners_of(receipt->event.id), ElementsAre(other_));
    EXPECT_EQ(receipt->event.committed_by, scene_.kit->incarnation());
    EXPECT_THAT(scene_.bell.rung, ElementsAre(noted_bell::ring_of{the_room, other_}));
}

// The sender waits for the rows, and is told what became of them.
// Proves: D10
TEST_F(Leaving, LetsTheSenderWaitForTheOther) {
    task_scope scope{scene_.loop};
    std::optional<result<send_receipt>> receipt;
    scene_.start_send(scope, kit_scene::says("second"), receipt);
    scene_.loop.advance(seconds{1});
    ASSERT_FALSE(receipt);
    for (const room_event& event : scene_.timeline()) {
        ops::finish_set done;
        done.room = the_room;
        done.claim_epoch = scene_.ask(ops::get_cursor{the_room}).claim_epoch;
        done.index = done.advance_to = event.index;
        for (const delivery_row& row : scene_.ask(ops::list_deliveries{the_room, event.id})) {
            done.results.push_back({row.id, delivery_state::done, 1, {}});
        }
        scene_.ask(done);
    }
    scene_.loop.advance(milliseconds{300});
    const bool is_answered = receipt.has_value();
    scene_.loop.run(scope.join());
    ASSERT_TRUE(is_answered) << "what the other has stored is the answer";
    ASSERT_TRUE(*receipt);
    EXPECT_EQ((*receipt)->progress, delivery_progress::delivered);
    ASSERT_EQ((*receipt)->targets.size(), 1U);
    EXPECT_EQ((*receipt)->targets.front().channel, channel_id{"phone"});
    EXPECT_EQ((*receipt)->targets.front().state, delivery_state::done);
}

// Nobody can be told: the event stays here.
// Proves: D1
TEST_F(Leaving, KeepsAllWhileNobodyHears) {
    scene_.bell.connected = false;
    const auto receipt = commit("second");
    EXPECT_THAT(owners_of(receipt->event.id), ElementsAre(scene_.kit->incarnation()));
    EXPECT_THAT(scene_.bell.rung, IsEmpty());
}

// A worker that is stopping, or dead, is left nothing.
// Proves: D1, D15
TEST_F(Leaving, KeepsAllFromWhoIsLeaving) {
    for (const auto state : {ops::worker_state::draining, ops::worker_state::dead}) {
        scene_.ask(ops::set_worker_state{other_, state});
        const auto receipt = commit("to nobody");
        EXPECT_THAT(owners_of(receipt->event.id), ElementsAre(scene_.kit->incarnation()));
    }
}

// A target that only this process can reach is delivered here.
// Proves: D8
TEST_F(Leaving, KeepsWhatIsBoundHere) {
    scripted_channel_settings bound;
    bound.is_bound_to_process = true;
    scene_.add(std::make_shared<scripted_channel>(channel_id{"socket"}, bound));
    binding attached = scene_.bindings.back();
    attached.room = the_room;
    scene_.ask(ops::put_binding{organization_id{}, attached});
    const auto receipt = commit("second");
    EXPECT_THAT(owners_of(receipt->event.id), testing::Each(scene_.kit->incarnation()));
}

// The worker that delivers makes what was left to it, in order with its own, once.
// Proves: D1, D4, D9
TEST(LeftToUs, IsDeliveredInOrder) {
    const auto world = std::make_shared<shared_world>();
    kit_scene delivers{world, {}};
    delivers.phone->otherwise(scripted_attempt::sends_after(seconds{1}));
    delivers.open();
    ASSERT_TRUE(delivers.send(kit_scene::says("own"), wait_for::committed));
    delivers.loop.run_ready();

    kit_scene writes{world, {}};
    writes.bell.connected = true;
    writes.reopen();
    for (const char* const text : {"left", "left too"}) {
        ASSERT_TRUE(writes.send(kit_scene::says(text), wait_for::committed));
    }
    ASSERT_EQ(writes.bell.rung.size(), 2U);
    EXPECT_EQ(writes.bell.rung.front().worker, delivers.kit->incarnation());
    ASSERT_TRUE(delivers.send(kit_scene::says("own again"), wait_for::committed));

    delivers.kit->answer_bell(organization_id{}, the_room);
    delivers.loop.advance(seconds{10});
    EXPECT_EQ(indexes_of(delivers.phone->sent()), (indexes{0, 1, 2, 3}));
    EXPECT_THAT(writes.phone->sent(), IsEmpty());
    EXPECT_EQ(delivers.stored_room().delivered_index, event_index{3});
}

// A word that was lost costs some seconds: each worker looks for what is its own.
// Proves: D7
TEST(LeftToUs, IsFoundWithoutBeingTold) {
    const auto world = std::make_shared<shared_world>();
    room_kit_settings settings;
    kit_scene delivers{world, settings};
    delivers.store.is_shared = true;
    delivers.phone->otherwise(scripted_attempt::sends_after(milliseconds{100}));
    delivers.open();
    ASSERT_TRUE(delivers.send(kit_scene::says("own"), wait_for::committed));
    delivers.loop.run_ready();
    {
        kit_scene writes{world, settings};
        writes.bell.connected = true;
        writes.reopen();
        ASSERT_TRUE(writes.send(kit_scene::says("left"), wait_for::committed));
    }
    delivers.loop.advance(seconds{1});
    EXPECT_EQ(indexes_of(delivers.phone->sent()), indexes{0});
    delivers.loop.advance(seconds{5});
    EXPECT_EQ(indexes_of(delivers.phone->sent()), (indexes{0, 1}));
}

}  // namespace
}  // namespace convene
