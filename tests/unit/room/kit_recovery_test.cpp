// SPDX-License-Identifier: Apache-2.0
// What a worker finds that another one left: redelivery, the skip policy, unfinished answers, timers, notices.
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using indexes = std::vector<std::int64_t>;
using texts = std::vector<std::string>;

/// A worker that commits three messages and dies while the first is being delivered.
void leave_a_hole(
    const std::shared_ptr<shared_world>& world, room_kit_settings settings, std::size_t messages = 3
) {
    kit_scene dying{world, settings};
    dying.phone->otherwise(scripted_attempt::hangs());
    dying.open();
    for (std::size_t i = 0; i < messages; ++i) {
        ASSERT_TRUE(dying.send(kit_scene::says("m" + std::to_string(i)), wait_for::committed));
    }
    dying.loop.run_ready();
    dying.crash();
}

// DELIVERY_RECOVERY=redeliver: what a dead worker had committed is delivered at once after the restart, in
// order, and a later message follows.
// Proves: D7
TEST(KitRecovery, RedeliversAtOnceAfterARestart) {
    auto world = std::make_shared<shared_world>();
    leave_a_hole(world, {});
    kit_scene next{world, {}};
    next.reopen();
    next.loop.advance(milliseconds{200});
    EXPECT_EQ(indexes_of(next.phone->sent()), (indexes{0, 1, 2}));
    EXPECT_EQ(next.notices("delivery_recovered").size(), 3U);
    EXPECT_TRUE(next.notices("delivery_skipped").empty());
    ASSERT_TRUE(next.send(kit_scene::says("later")));
    EXPECT_EQ(indexes_of(next.phone->sent()), (indexes{0, 1, 2, 3}));
    EXPECT_EQ(next.stored_room().delivered_index, event_index{3});
}

// The delivery id is the same for the first try and the redelivery: the receiver can drop the repeat.
// Proves: D7
TEST(KitRecovery, KeepsTheDeliveryId) {
    auto world = std::make_shared<shared_world>();
    std::vector<delivery_row> planned;
    leave_a_hole(world, {}, 1);
    kit_scene next{world, {}};
    planned = next.ask(ops::list_deliveries{room_id{"r"}, next.timeline().front().id});
    next.reopen();
    next.loop.advance(milliseconds{200});
    ASSERT_EQ(planned.size(), 1U);
    ASSERT_EQ(next.phone->sent().size(), 1U);
    EXPECT_EQ(next.phone->sent().front().id, planned.front().id);
}

// DELIVERY_RECOVERY=skip: after the gap timeout the hole is passed over, with a notice and a durable row that
// names the events; the room flows.
// Proves: D8, R19 (rk:L5, rk:L20, rk:M2)
TEST(KitRecovery, SkipsAfterTheGapTimeout) {
    room_kit_settings settings;
    settings.recovery = delivery_recovery::skip;
    settings.delivery_gap_timeout = seconds{30};
    auto world = std::make_shared<shared_world>();
    leave_a_hole(world, settings);
    kit_scene next{world, settings};
    next.reopen();
    task_scope scope{next.loop};
    std::optional<result<send_receipt>> later;
    next.start_send(scope, kit_scene::says("later"), later);
    next.loop.advance(seconds{29});
    EXPECT_TRUE(next.phone->sent().empty());
    next.loop.advance(seconds{2});
    next.loop.run(scope.join());
    EXPECT_EQ(indexes_of(next.phone->sent()), indexes{3});
    const auto skips = next.ask(ops::list_skips{room_id{"r"}, 0, 50});
    ASSERT_EQ(skips.size(), 1U);
    EXPECT_EQ(skips.front().from, event_index{0});
    EXPECT_EQ(skips.front().to, event_index{2});
    EXPECT_EQ(skips.front().events.size(), 3U);
    EXPECT_EQ(skips.front().reason, "gap_timeout");
    const auto notices = next.notices("delivery_skipped");
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_NE(
        notices.front().data.str().find("\"from_index\":0,\"to_index\":2"), std::string::npos
    );
}

// A target that only the dead process could reach is skipped at once, on record; the others get the event.
// Proves: D8
TEST(KitRecovery, SkipsBoundTargetsAtOnce) {
    auto world = std::make_shared<shared_world>();
    {
        kit_scene dying{world, {}};
        dying.phone->otherwise(scripted_attempt::hangs());
        scripted_channel_settings bound;
        bound.is_bound_to_process = true;
        dying.add(std::make_shared<scripted_channel>(channel_id{"socket"}, bound));
        dying.open();
        ASSERT_TRUE(dying.send(kit_scene::says("m"), wait_for::committed));
        dying.crash();
    }
    kit_scene next{world, {}};
    next.reopen();
    next.loop.advance(milliseconds{200});
    EXPECT_EQ(indexes_of(next.phone->sent()), indexes{0});
    EXPECT_EQ(next.notices("delivery_skipped").size(), 1U);
}

/// An agent whose worker dies after `segments` segments of its answer.
void die_while_answering(const std::shared_ptr<shared_world>& world, int segments) {
    kit_scene dying{world, {}};
    agent_script script;
    for (int i = 0; i < segments; ++i) {
        script.segment("part " + std::to_string(i));
    }
    script.hang();
    dying.add_agent("bot", script);
    dying.open();
    ASSERT_TRUE(dying.send(kit_scene::says("question"), wait_for::committed));
    dying.loop.advance(milliseconds{100});
    dying.crash();
}

// An answer that was not begun is made by whoever recovers the row: exactly one answer.
// Proves: D7, A8
TEST(KitRecovery, AnswersAfterACrashBeforeTheFirstWord) {
    auto world = std::make_shared<shared_world>();
    die_while_answering(world, 0);
    kit_scene next{world, {}};
    const auto agent = next.add_agent("bot", agent_script{}.say("the answer"));
    next.reopen();
    next.loop.advance(seconds{1});
    EXPECT_EQ(agent->requests().size(), 1U);
    EXPECT_EQ(texts_of(next.phone->sent()), (texts{"question", "the answer"}));
    EXPECT_EQ(next.timeline().size(), 2U);
}

// A streamed answer that was cut off by a crash is closed as interrupted and made again, once.
// Proves: D6, D7
TEST(KitRecovery, ClosesACutStreamAndAnswersOnceMore) {
    auto world = std::make_shared<shared_world>();
    die_while_answering(world, 2);
    kit_scene next{world, {}};
    const auto agent = next.add_agent("bot", agent_script{}.say("the answer"));
    next.reopen();
    next.loop.advance(seconds{1});
    ASSERT_EQ(agent->requests().size(), 1U);
    EXPECT_TRUE(agent->requests().front().is_regeneration);
    const auto events = next.timeline();
    ASSERT_EQ(events.size(), 5U);
    EXPECT_EQ(events[3].content.text_field("code"), "answer_interrupted");
    EXPECT_EQ(readable_text(events[4].content), "the answer");
    EXPECT_EQ(next.stored_room().delivered_index, event_index{4});
    const auto rows = next.ask(ops::list_deliveries{room_id{"r"}, events[0].id});
    for (const delivery_row& row : rows) {
        EXPECT_TRUE(is_final(row.state));
    }
}

awaitable<hook_verdict> count_call(std::shared_ptr<int> calls, hook_input) {
    ++*calls;
    co_return hook_verdict::allow();
}

// An after-hook that a crash prevented runs in the next start, behind the cursor.
// Proves: D11, R9
TEST(KitRecovery, RunsAfterHooksThatACrashPrevented) {
    auto world = std::make_shared<shared_world>();
    auto calls = std::make_shared<int>(0);
    hook_definition hook;
    hook.id = hook_id{"after"};
    hook.point = hook_point::after_delivery;
    hook.deadline = seconds{30};
    {
        kit_scene dying{world, {}};
        hook.run = coroutine_hook{[](hook_input) -> awaitable<hook_verdict> {
            const result<> slept = co_await sleep_for(std::chrono::seconds(20));
            static_cast<void>(slept);
            co_return hook_verdict::allow();
        }};
        ASSERT_TRUE(dying.kit->add_hook(hook));
        dying.open();
        ASSERT_TRUE(dying.send(kit_scene::says("m")));
        EXPECT_EQ(dying.stored_room().delivered_index, event_index{0});
        dying.crash();
    }
    kit_scene next{world, {}};
    hook.run = coroutine_hook{[calls](hook_input input) {
        return count_call(calls, std::move(input));
    }};
    ASSERT_TRUE(next.kit->add_hook(hook));
    next.reopen();
    next.loop.advance(seconds{1});
    EXPECT_EQ(*calls, 1);
}

// The same, by a worker whose first writes get no answer: the row that it adopted is not forgotten.
// Proves: D7, D11
TEST(KitRecovery, RunsAfterHooksOfRowsWhoseAdoptionWasNotAnswered) {
    for (int lost = 0; lost < 6; ++lost) {
        auto world = std::make_shared<shared_world>();
        auto calls = std::make_shared<int>(0);
        hook_definition hook;
        hook.id = hook_id{"after"};
        hook.point = hook_point::after_delivery;
        hook.deadline = seconds{30};
        hook.run = coroutine_hook{[calls](hook_input input) {
            return count_call(calls, std::move(input));
        }};
        kit_scene next{world, {}};
        next.store.is_shared = true;
        ASSERT_TRUE(next.kit->add_hook(hook));
        next.reopen();
        kit_scene dying{world, {}};
        hook.run = coroutine_hook{[](hook_input) -> awaitable<hook_verdict> {
            const result<> slept = co_await sleep_for(std::chrono::seconds(20));
            static_cast<void>(slept);
            co_return hook_verdict::allow();
        }};
        ASSERT_TRUE(dying.kit->add_hook(hook));
        dying.open();
        ASSERT_TRUE(dying.send(kit_scene::says("m")));
        dying.crash();
        next.store.lost_answers = lost;
        next.loop.advance(seconds{20});
        EXPECT_EQ(*calls, 1) << lost << " answers were lost";
        for (const delivery_row& row :
             next.ask(ops::list_deliveries{room_id{"r"}, next.timeline().front().id})) {
            EXPECT_TRUE(is_final(row.state)) << lost << " answers were lost";
        }
    }
}

// A quiet room is paused and later closed by the elected worker; activity keeps it open.
// Proves: R5
TEST(KitTimers, PauseAndCloseQuietRooms) {
    kit_scene scene;
    scene.open();
    room_timers timers;
    timers.inactive_after = seconds{60};
    timers.closed_after = seconds{60};
    ASSERT_TRUE(scene.loop.run(scene.kit->set_room_timers({}, room_id{"r"}, timers)));
    auto pass = [&scene](seconds span) {
        for (int i = 0; i < span.count(); ++i) {
            scene.world->clock.advance(seconds{1});
            scene.loop.advance(seconds{1});
        }
    };
    pass(seconds{50});
    ASSERT_TRUE(scene.send(kit_scene::says("still here")));
    pass(seconds{50});
    EXPECT_EQ(scene.stored_room().status, room_status::active);
    pass(seconds{20});
    EXPECT_EQ(scene.stored_room().status, room_status::paused);
    EXPECT_EQ(scene.notices("room_paused").size(), 1U);
    pass(seconds{70});
    EXPECT_EQ(scene.stored_room().status, room_status::closed);
    EXPECT_EQ(scene.notices("room_closed").size(), 1U);
}

awaitable<result<>> take_notice(std::shared_ptr<texts> taken, framework_event notice) {
    taken->push_back(notice.type);
    co_return result<>{};
}

awaitable<result<>> refuse_notice(framework_event) { co_return errc::unavailable; }

// A subscriber gets every notice in order, and after a restart those it had not taken.
// Proves: R19
TEST(KitNotices, ReachANamedSubscriberAtLeastOnce) {
    auto world = std::make_shared<shared_world>();
    {
        kit_scene first{world, {}};
        first.open();
        ASSERT_TRUE(first.loop.run(first.kit->subscribe("alerts", [](framework_event notice) {
            return refuse_notice(std::move(notice));
        })));
        auto block = [](hook_input) -> awaitable<hook_verdict> {
            co_return hook_verdict::block("no");
        };
        hook_definition hook;
        hook.id = hook_id{"moderator"};
        hook.run = coroutine_hook{block};
        ASSERT_TRUE(first.kit->add_hook(std::move(hook)));
        ASSERT_TRUE(first.send(kit_scene::says("one")));
        ASSERT_TRUE(first.send(kit_scene::says("two")));
        first.loop.advance(seconds{3});
    }
    kit_scene next{world, {}};
    auto taken = std::make_shared<texts>();
    ASSERT_TRUE(next.loop.run(next.kit->subscribe("alerts", [taken](framework_event notice) {
        return take_notice(taken, std::move(notice));
    })));
    next.loop.advance(seconds{3});
    EXPECT_EQ(*taken, (texts{"event_blocked", "event_blocked"}));
    next.loop.advance(seconds{3});
    EXPECT_EQ(taken->size(), 2U) << "what was taken is not repeated";
}

}  // namespace
}  // namespace convene
