// SPDX-License-Identifier: Apache-2.0
// Deliveries of a whole kit: order, the cursor, slow and failing targets, and what callers are told.
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using indexes = std::vector<std::int64_t>;
using texts = std::vector<std::string>;

awaitable<hook_verdict> note_index(std::shared_ptr<indexes> seen, hook_input input) {
    seen->push_back(input.event.index.value());
    co_return hook_verdict::allow();
}

// A message is stored, delivered to everybody but its source, and the cursor is where the timeline ends.
// Proves: R1, R3, D3, D10, D12
TEST(KitDelivery, DeliversAMessageAndMovesTheCursor) {
    kit_scene scene;
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->event.index, event_index{0});
    EXPECT_EQ(receipt->progress, delivery_progress::delivered);
    ASSERT_EQ(receipt->targets.size(), 1U);
    EXPECT_EQ(receipt->targets.front().channel, channel_id{"phone"});
    EXPECT_EQ(receipt->targets.front().state, delivery_state::done);
    EXPECT_EQ(texts_of(scene.phone->sent()), texts{"hello"});
    EXPECT_TRUE(scene.web->sent().empty());

    const room stored = scene.stored_room();
    EXPECT_EQ(stored.latest_index, event_index{0});
    EXPECT_EQ(stored.delivered_index, event_index{0});
    EXPECT_EQ(stored.event_count, 1);
}

// While one delivery takes long the next messages are committed at once: delivery is off the lock.
// Proves: D1 (rk:L13, rk:M3)
TEST(KitDelivery, CommitsWhileADeliveryTakesLong) {
    kit_scene scene;
    scene.phone->then(scripted_attempt::sends_after(seconds{4}));
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> slow;
    scene.start_send(scope, kit_scene::says("slow"), slow);
    scene.loop.run_ready();

    const monotonic_time before = scene.loop.now();
    for (int i = 0; i < 10; ++i) {
        const auto next = scene.send(kit_scene::says("next"), wait_for::committed);
        ASSERT_TRUE(next);
    }
    EXPECT_LT(scene.loop.now() - before, milliseconds{100});
    EXPECT_FALSE(slow);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index::none());
    scene.loop.run(scope.join());
    ASSERT_TRUE(slow && *slow);
    EXPECT_EQ((*slow)->progress, delivery_progress::delivered);
}

// Sets run strictly in index order, whichever of them is slow.
// Proves: D2, D3 (rk:L1, rk:O2)
TEST(KitDelivery, RunsSetsInIndexOrder) {
    kit_scene scene;
    scene.phone->then(scripted_attempt::sends_after(seconds{1})).then(scripted_attempt::sends());
    scene.open();
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(scene.send(kit_scene::says("m" + std::to_string(i)), wait_for::committed));
    }
    const auto last = scene.send(kit_scene::says("last"));
    ASSERT_TRUE(last);
    indexes expected;
    for (std::int64_t i = 0; i <= 20; ++i) {
        expected.push_back(i);
    }
    EXPECT_EQ(indexes_of(scene.phone->sent()), expected);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{20});
}

// A delivery that is under way keeps the cursor behind; when it ends the cursor is at the end.
// Proves: D3, D5 (rk:O1)
TEST(KitDelivery, KeepsTheCursorBehindAStalledGreeting) {
    kit_scene scene;
    scene.phone->then(scripted_attempt::sends_after(seconds{3}));
    scene.add_agent("bot", agent_script{}.say("hi"));
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> greeted;
    auto greet = [](room_kit* kit, std::optional<result<send_receipt>>* into) -> awaitable<void> {
        organization_id nobody;
        room_id into_room("r");
        channel_id agent("bot");
        auto receipt = co_await kit->send_greeting(
            std::move(nobody), std::move(into_room), std::move(agent), content::text("Welcome")
        );
        into->emplace(std::move(receipt));
    };
    scope.spawn("greet", greet(scene.kit.get(), &greeted));
    scene.loop.advance(seconds{1});
    EXPECT_EQ(scene.stored_room().latest_index, event_index{0});
    EXPECT_EQ(scene.stored_room().delivered_index, event_index::none());
    scene.loop.run(scope.join());
    ASSERT_TRUE(greeted && *greeted);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
    EXPECT_EQ(texts_of(scene.phone->sent()), texts{"Welcome"});
}

// One target that fails for good fails alone: the other gets the event, the cursor moves, the result is kept.
// Proves: D12 (rk:L8, rk:D14)
TEST(KitDelivery, OneFailingTargetFailsAlone) {
    kit_scene scene;
    scene.phone->then(scripted_attempt::fails_for_good());
    auto pager = std::make_shared<scripted_channel>(channel_id{"pager"});
    scene.add(pager);
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    ASSERT_EQ(receipt->targets.size(), 2U);
    for (const target_result& target : receipt->targets) {
        const bool is_phone = target.channel == channel_id{"phone"};
        EXPECT_EQ(target.state, is_phone ? delivery_state::failed : delivery_state::done);
    }
    EXPECT_EQ(pager->sent().size(), 1U);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
    EXPECT_EQ(scene.notices("broadcast_partial_failure").size(), 1U);

    const auto rows = scene.ask(ops::list_deliveries{room_id{"r"}, receipt->event.id});
    EXPECT_EQ(rows.size(), 2U);
}

// A target that throws is a failure of that target, not of the room.
// Proves: D12
TEST(KitDelivery, AThrowingChannelIsAFailedTarget) {
    kit_scene scene;
    scene.phone->otherwise(scripted_attempt::throws());
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    ASSERT_EQ(receipt->targets.size(), 1U);
    EXPECT_NE(receipt->targets.front().state, delivery_state::done);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
}

// A target that hangs holds its own room until the set deadline; another room does not notice.
// Proves: D2, D12
TEST(KitDelivery, AHangingTargetHoldsNoOtherRoom) {
    kit_scene scene;
    scene.phone->then(scripted_attempt::hangs());
    scene.open();
    room second;
    second.id = room_id{"other"};
    binding only_web = scene.bindings.front();
    only_web.room = second.id;
    only_web.channel = channel_id{"web"};
    ASSERT_TRUE(scene.loop.run(scene.kit->create_room(second, {only_web}, {})));

    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> hanging;
    scene.start_send(scope, kit_scene::says("hangs"), hanging);
    scene.loop.run_ready();
    outgoing_event elsewhere = kit_scene::says("quick");
    elsewhere.room = second.id;
    elsewhere.channel = channel_id{};
    const monotonic_time before = scene.loop.now();
    const auto quick = scene.send(elsewhere);
    ASSERT_TRUE(quick);
    EXPECT_EQ(quick->progress, delivery_progress::delivered);
    EXPECT_LT(scene.loop.now() - before, seconds{1});
    scene.loop.run(scope.join());
}

// A caller waits for its deliveries no longer than the wait timeout; delivery goes on and ends.
// Proves: D10, D11
TEST(KitDelivery, TellsTheCallerThatDeliveryGoesOn) {
    room_kit_settings settings;
    settings.delivery_wait_timeout = milliseconds{500};
    kit_scene scene{settings};
    scene.phone->then(scripted_attempt::sends_after(seconds{2}));
    scene.open();
    const auto receipt = scene.send(kit_scene::says("slow"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->progress, delivery_progress::delivering);
    scene.loop.advance(seconds{3});
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
}

// Events without recipients move the cursor too, in order with the others.
// Proves: D3 (rk:L2)
TEST(KitDelivery, MovesTheCursorOverEventsWithoutRecipients) {
    kit_scene scene;
    scene.open();
    outgoing_event hidden = kit_scene::says("for nobody");
    hidden.visible_to = visibility{visibility::scope::none};
    ASSERT_TRUE(scene.send(hidden));
    ASSERT_TRUE(scene.send(kit_scene::says("seen")));
    ASSERT_TRUE(scene.send(hidden));
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{2});
    EXPECT_EQ(indexes_of(scene.phone->sent()), indexes{1});
}

// Closing lets what is queued run first: nothing is cancelled.
// Proves: D15 (rk:L22, rk:L18)
TEST(KitDelivery, CloseDrainsQueuedSets) {
    auto world = std::make_shared<shared_world>();
    std::shared_ptr<scripted_channel> phone;
    {
        kit_scene scene{world, {}};
        scene.phone->otherwise(scripted_attempt::sends_after(milliseconds{100}));
        phone = scene.phone;
        scene.open();
        for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(scene.send(kit_scene::says("m"), wait_for::committed));
        }
        scene.loop.run(scene.kit->close());
        scene.kit.reset();
    }
    EXPECT_EQ(indexes_of(phone->sent()), (indexes{0, 1, 2, 3, 4}));
}

// A hung delivery does not hold up closing beyond the drain deadline; its waiter is told, its rows stay open
// and ownerless for whoever comes next.
// Proves: D15 (rk:L9, rk:L10, rk:L11)
TEST(KitDelivery, CloseHandsOverAHungDelivery) {
    room_kit_settings settings;
    settings.drain_deadline = seconds{1};
    settings.set_deadline = seconds{60};
    auto world = std::make_shared<shared_world>();
    kit_scene scene{world, settings};
    scene.phone->otherwise(scripted_attempt::hangs());
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> first;
    std::optional<result<send_receipt>> second;
    scene.start_send(scope, kit_scene::says("hung"), first);
    scene.start_send(scope, kit_scene::says("queued"), second);
    scene.loop.run_ready();
    const monotonic_time before = scene.loop.now();
    scene.loop.run(scene.kit->close());
    EXPECT_LE(scene.loop.now() - before, milliseconds{1500});
    scene.loop.run(scope.join());
    for (const auto* told : {&first, &second}) {
        ASSERT_TRUE(*told && **told);
        EXPECT_EQ((**told)->progress, delivery_progress::delivering);
    }
    scene.kit.reset();

    kit_scene next{world, {}};
    next.reopen();
    next.loop.advance(seconds{2});
    EXPECT_EQ(indexes_of(next.phone->sent()), (indexes{0, 1}));
    EXPECT_TRUE(next.notices("delivery_recovered").empty()) << "a hand-over is no crash";
}

// A lane whose room is quiet leaves nothing behind; the next event starts it anew, in order.
// Proves: D14 (rk:L12)
TEST(KitDelivery, AQuietRoomIsForgottenAndComesBack) {
    kit_scene scene;
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("one")));
    EXPECT_EQ(scene.kit->lanes().size(), 1U);
    scene.loop.advance(seconds{30});
    EXPECT_TRUE(scene.kit->lanes().empty());
    ASSERT_TRUE(scene.send(kit_scene::says("two")));
    EXPECT_EQ(indexes_of(scene.phone->sent()), (indexes{0, 1}));
}

// A full lane pushes back on senders with an error that they may retry; nothing is stored.
// Proves: D14
TEST(KitDelivery, AFullLanePushesBack) {
    room_kit_settings settings;
    settings.lane_capacity = 2;
    kit_scene scene{settings};
    scene.phone->then(scripted_attempt::sends_after(seconds{3}));
    scene.open();
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(scene.send(kit_scene::says("fits"), wait_for::committed));
    }
    const auto refused = scene.send(kit_scene::says("too many"), wait_for::committed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::overloaded);
    EXPECT_EQ(scene.timeline().size(), 3U);
    scene.loop.advance(seconds{5});
    EXPECT_TRUE(scene.send(kit_scene::says("again"), wait_for::committed));
}

// A busy room's early caller does not wait for the backlog behind it, and after-hooks run as sets complete.
// Proves: D11
TEST(KitDelivery, FinishesEachEntryAtOnce) {
    kit_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(milliseconds{10}));
    scene.open();
    auto seen = std::make_shared<std::vector<std::int64_t>>();
    hook_definition after;
    after.id = hook_id{"after"};
    after.point = hook_point::after_delivery;
    after.run = coroutine_hook{[seen](hook_input input) {
        return note_index(seen, std::move(input));
    }};
    ASSERT_TRUE(scene.kit->add_hook(std::move(after)));
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> first;
    scene.start_send(scope, kit_scene::says("first"), first);
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(scene.send(kit_scene::says("m"), wait_for::committed));
    }
    scene.loop.advance(milliseconds{100});
    ASSERT_TRUE(first && *first);
    EXPECT_EQ((*first)->progress, delivery_progress::delivered);
    EXPECT_GE(seen->size(), 5U);
    EXPECT_LT(scene.stored_room().delivered_index, event_index{50});
    scene.loop.run(scope.join());
    scene.loop.advance(seconds{5});
    EXPECT_EQ(seen->size(), 201U);
}

// What waits longer than the set deadline goes to the outbound queue: the set is complete without it, and a
// later event to the same address queues behind it.
// Proves: D12, Q1
TEST(KitDelivery, DefersWhatWaitsTooLong) {
    room_kit_settings settings;
    settings.set_deadline = milliseconds{500};
    kit_scene scene{settings};
    scene.phone->then(scripted_attempt::fails_for_now());
    scene.open();
    const auto first = scene.send(kit_scene::says("first"));
    ASSERT_TRUE(first);
    ASSERT_EQ(first->targets.size(), 1U);
    EXPECT_EQ(first->targets.front().state, delivery_state::deferred);
    const auto second = scene.send(kit_scene::says("second"));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->targets.front().state, delivery_state::deferred);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{1});
    for (int i = 0; i < 60; ++i) {
        scene.world->clock.advance(seconds{1});
        scene.loop.advance(seconds{1});
    }
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"first", "second"}));
    const auto rows = scene.ask(ops::list_deliveries{room_id{"r"}, first->event.id});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().state, delivery_state::done);
}

}  // namespace
}  // namespace convene
