// SPDX-License-Identifier: Apache-2.0
// What a message costs, counted in store operations: budgets, not clocks.
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using counts = std::map<std::string, int>;

awaitable<void> send_into(room_kit* kit, outgoing_event sent) {
    const auto receipt = co_await kit->send_event(std::move(sent), wait_for::delivered);
    EXPECT_TRUE(receipt);
}

/// A scene whose room has sent a message already: its context is cached and its lane has the claim.
class KitBudget : public ::testing::Test {
   protected:
    void SetUp() override {
        scene.open();
        ASSERT_TRUE(scene.send(kit_scene::says("warm up")));
        scene.store.counts.clear();
    }

    kit_scene scene;
};

// A message with one recipient is one read under the lock, one commit, and one step of the cursor.
// Proves: D3, R1
TEST_F(KitBudget, AMessageIsThreeOperations) {
    ASSERT_TRUE(scene.send(kit_scene::says("hello")));
    EXPECT_EQ(
        scene.store.counts, (counts{{"load_room_head", 1}, {"commit", 1}, {"finish_set", 1}})
    );
}

// Messages that wait together share one read and one commit: what a sync to disk costs is paid once.
// Proves: R1, D3
TEST_F(KitBudget, ABatchIsOneCommit) {
    task_scope scope{scene.loop};
    for (int i = 0; i < 64; ++i) {
        scope.spawn("send", send_into(scene.kit.get(), kit_scene::says("hello")));
    }
    scene.loop.run(scope.join());
    EXPECT_LE(scene.store.counts["load_room_head"], 2);
    EXPECT_LE(scene.store.counts["commit"], 2);
    EXPECT_EQ(scene.store.counts["finish_set"], 64) << "one step an event that has recipients";
}

// A batch without recipients moves the cursor in one step.
// Proves: D3
TEST_F(KitBudget, ABatchWithoutRecipientsIsOneStep) {
    task_scope scope{scene.loop};
    for (int i = 0; i < 64; ++i) {
        outgoing_event hidden = kit_scene::says("note");
        hidden.visible_to = visibility{visibility::scope::none};
        scope.spawn("send", send_into(scene.kit.get(), hidden));
    }
    scene.loop.run(scope.join());
    EXPECT_LE(scene.store.counts["commit"], 2);
    EXPECT_LE(scene.store.counts["finish_set"], 2);
}

// An idle worker asks the store for nothing but its timers, once a second, and what is kept no longer, twice a minute.
// Proves: R5, R20
TEST_F(KitBudget, AnIdleWorkerIsQuiet) {
    scene.loop.advance(std::chrono::seconds{60});
    scene.store.counts.erase("take_due_outbound");
    scene.store.counts.erase("list_outbound_addresses");
    EXPECT_EQ(scene.store.counts.size(), 5U);
    EXPECT_LE(scene.store.counts["apply_due_timers"], 61);
    EXPECT_LE(scene.store.counts["erase_attachments"], 3);
    EXPECT_LE(scene.store.counts["continue_erasure"], 3);
    EXPECT_LE(scene.store.counts["prune_frames"], 3);
    EXPECT_LE(scene.store.counts["prune_runs"], 3);
}

}  // namespace
}  // namespace convene
