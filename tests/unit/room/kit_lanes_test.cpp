// SPDX-License-Identifier: Apache-2.0
// What operators do to a room's lane by hand: stopping it, passing over its head, delivering again.
#include <gtest/gtest.h>

#include <functional>

#include "store/operations/operating.hpp"
#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using indexes = std::vector<std::int64_t>;
using texts = std::vector<std::string>;

const room_id room_r{"r"};

class lane_scene : public kit_scene {
   public:
    using kit_scene::kit_scene;

    lane_change pause() {
        auto paused = loop.run(kit->pause_lane({}, room_r, deadline{loop.now() + seconds{5}}));
        EXPECT_TRUE(paused.has_value());
        return paused ? *paused : lane_change{};
    }

    lane_change resume() {
        auto running = loop.run(kit->resume_lane({}, room_r));
        EXPECT_TRUE(running.has_value());
        return running ? *running : lane_change{};
    }

    skipped_head skip(std::optional<event_index> expected = std::nullopt) {
        auto skipped = loop.run(kit->skip_head({}, room_r, expected));
        EXPECT_TRUE(skipped.has_value());
        return skipped ? *skipped : skipped_head{};
    }

    redelivered_event redeliver(std::optional<event_id> event = std::nullopt) {
        auto again = loop.run(kit->redeliver({}, room_r, std::move(event)));
        EXPECT_TRUE(again.has_value());
        return again ? *again : redelivered_event{};
    }

    event_id say(std::string text) {
        const auto sent = send(says(std::move(text)), wait_for::committed);
        EXPECT_TRUE(sent.has_value());
        return sent ? sent->event.id : event_id{};
    }

    /// The one row of an event for the phone.
    delivery_row phone_row(const event_id& event) {
        for (const delivery_row& row : ask(ops::list_deliveries{room_r, event})) {
            if (row.channel == channel_id{"phone"}) {
                return row;
            }
        }
        return {};
    }
};

// A stopped lane starts nothing, and takes messages all the same; told to go on it delivers them in order.
// Proves: D2, L11
TEST(KitLanes, APausedLaneWaitsUntilItIsResumed) {
    lane_scene scene;
    scene.open();
    EXPECT_EQ(scene.pause().verdict, lane_verdict::done);
    EXPECT_EQ(scene.pause().verdict, lane_verdict::already_so);
    scene.say("one");
    scene.say("two");
    scene.loop.advance(seconds{60});
    EXPECT_TRUE(scene.phone->attempts().empty());
    EXPECT_EQ(scene.stored_room().delivered_index, event_index::none());

    EXPECT_EQ(scene.resume().verdict, lane_verdict::done);
    EXPECT_EQ(scene.resume().verdict, lane_verdict::already_so);
    scene.loop.advance(milliseconds{100});
    EXPECT_EQ(indexes_of(scene.phone->sent()), (indexes{0, 1}));
}

// Nobody waits for a stopped lane longer than for a slow one.
// Proves: D10
TEST(KitLanes, ACallerOfAPausedLaneIsAnswered) {
    lane_scene scene;
    scene.open();
    scene.pause();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> receipt;
    scene.start_send(scope, kit_scene::says("m"), receipt);
    scene.loop.advance(seconds{31});
    scene.loop.run(scope.join());
    ASSERT_TRUE(receipt && receipt->has_value());
    EXPECT_EQ((*receipt)->progress, delivery_progress::delivering);
}

// Somebody else passed over what a caller waits for: the rows say what came of it.
// Proves: D10
TEST(KitLanes, ACallerIsToldWhatBecameOfItsEventElsewhere) {
    lane_scene scene;
    scene.open();
    scene.pause();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> receipt;
    scene.start_send(scope, kit_scene::says("m"), receipt);
    scene.loop.advance(milliseconds{100});
    scene.skip();
    scene.resume();
    scene.loop.advance(seconds{3});
    scene.loop.run(scope.join());
    ASSERT_TRUE(receipt && receipt->has_value());
    EXPECT_EQ((*receipt)->progress, delivery_progress::delivered);
    ASSERT_EQ((*receipt)->targets.size(), 1U);
    EXPECT_EQ((*receipt)->targets.front().state, delivery_state::skipped);
}

// The set that runs is finished, and told of; the next one is not begun.
// Proves: D2
TEST(KitLanes, PausingFinishesWhatRuns) {
    lane_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(seconds{4}));
    scene.open();
    scene.say("one");
    scene.say("two");
    scene.loop.advance(seconds{1});
    const lane_change paused = scene.pause();
    EXPECT_TRUE(paused.is_settled);
    EXPECT_EQ(indexes_of(scene.phone->sent()), indexes{0});
    scene.loop.advance(seconds{60});
    EXPECT_EQ(scene.phone->attempts().size(), 1U);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
}

// A set that takes longer than the operator's patience is said to run still.
// Proves: D2
TEST(KitLanes, PausingTellsThatASetStillRuns) {
    lane_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(milliseconds{4500}));
    const auto slow = scene.add_agent("bot", agent_script{}.wait(seconds{60}).say("answer"));
    scene.open();
    scene.say("one");
    scene.say("two");
    scene.loop.advance(milliseconds{100});
    EXPECT_FALSE(scene.pause().is_settled);
    scene.loop.advance(seconds{120});
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
    EXPECT_EQ(slow->requests().size(), 1U);
}

// A lane stays stopped over the end of every process, and what a dead worker left is delivered once it may go on.
// Proves: D7, D14
TEST(KitLanes, APausedLaneStaysPausedAfterACrash) {
    auto world = std::make_shared<shared_world>();
    {
        lane_scene dying{world, {}};
        dying.open();
        dying.pause();
        dying.say("one");
        dying.loop.run_ready();
        dying.crash();
    }
    lane_scene next{world, {}};
    next.reopen();
    next.loop.advance(seconds{60});
    EXPECT_TRUE(next.phone->attempts().empty());
    next.resume();
    next.loop.advance(milliseconds{200});
    EXPECT_EQ(indexes_of(next.phone->sent()), indexes{0});
}

// A worker in order to stop does not wait for a stopped lane.
// Proves: D15
TEST(KitLanes, APausedLaneDoesNotHoldUpTheEnd) {
    auto world = std::make_shared<shared_world>();
    {
        lane_scene ending{world, {}};
        ending.open();
        ending.pause();
        ending.say("one");
        ending.loop.run_ready();
        const monotonic_time began = ending.loop.now();
        ending.loop.run(ending.kit->close());
        EXPECT_LT(ending.loop.now() - began, seconds{2});
        ending.kit.reset();
    }
    lane_scene next{world, {}};
    next.reopen();
    next.resume();
    next.loop.advance(milliseconds{200});
    EXPECT_EQ(indexes_of(next.phone->sent()), indexes{0});
}

// Another worker was told: this one, which has the claim, learns of it with its next step, and of the end of it by
// looking.
// Proves: D2, L7
TEST(KitLanes, APauseAtAnotherWorkerIsRespected) {
    lane_scene scene;
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("one")));
    scene.ask(ops::set_lane_state{{}, room_r, ops::lane_state::paused});
    scene.say("two");
    scene.loop.advance(milliseconds{100});
    scene.say("three");
    scene.loop.advance(seconds{30});
    EXPECT_EQ(indexes_of(scene.phone->sent()), (indexes{0, 1}));
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{1});
    scene.ask(ops::set_lane_state{{}, room_r, ops::lane_state::running});
    scene.loop.advance(seconds{3});
    EXPECT_EQ(indexes_of(scene.phone->sent()), (indexes{0, 1, 2}));
}

// The head that holds the lane up is passed over: what follows is delivered at once; the skip is on record and told
// of; its replay delivers under the id that the delivery would have had.
// Proves: D8, R19
TEST(KitLanes, TheHeadIsSkippedOnRecord) {
    lane_scene scene;
    const auto stuck = scene.add_agent("bot", agent_script{}.hang());
    scene.phone->then(scripted_attempt::hangs());
    scene.open();
    const event_id head = scene.say("one");
    const event_id next = scene.say("two");
    scene.loop.advance(milliseconds{100});
    EXPECT_EQ(scene.phone->attempts().size(), 1U);
    const delivery_id planned = scene.phone_row(head).id;

    const skipped_head skipped = scene.skip();
    EXPECT_EQ(skipped.verdict, lane_verdict::done);
    EXPECT_EQ(skipped.event, head);
    EXPECT_EQ(skipped.head, event_index{0});
    EXPECT_EQ(skipped.skipped, 2U);
    scene.loop.advance(milliseconds{100});
    EXPECT_EQ(indexes_of(scene.phone->sent()), indexes{1});
    EXPECT_EQ(scene.phone_row(head).state, delivery_state::skipped);
    EXPECT_EQ(scene.phone_row(head).outcome.error_code, "operator");

    const auto skips = scene.ask(ops::list_skips{room_r, 0, 10});
    ASSERT_EQ(skips.size(), 1U);
    EXPECT_EQ(skips.front().reason, "operator");
    EXPECT_EQ(skips.front().events, std::vector<event_id>{head});
    const auto told = scene.notices("delivery_skipped");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_NE(told.front().data.str().find(R"("reason":"operator")"), std::string::npos);

    // The second answer hangs as well; it must not hold up the rest of the test.
    EXPECT_EQ(scene.skip(event_index{1}).event, next);
    const auto replayed = scene.loop.run(scene.kit->replay_skip({}, skips.front().id));
    ASSERT_TRUE(replayed.has_value());
    EXPECT_EQ(replayed->queued, 1U);
    scene.loop.advance(seconds{2});
    ASSERT_EQ(scene.phone->sent().size(), 2U);
    EXPECT_EQ(scene.phone->sent().back().id, planned);
}

// What comes too late of a head that was passed over changes nothing.
// Proves: D7, L7
TEST(KitLanes, AnAnswerOfASkippedHeadIsThrownAway) {
    lane_scene scene;
    const auto slow = scene.add_agent("bot", agent_script{}.wait(seconds{10}).say("too late"));
    scene.open();
    const event_id head = scene.say("one");
    scene.loop.advance(milliseconds{100});
    scene.skip();
    scene.loop.advance(seconds{30});
    EXPECT_EQ(scene.timeline().size(), 1U);
    for (const delivery_row& row : scene.ask(ops::list_deliveries{room_r, head})) {
        EXPECT_TRUE(is_final(row.state));
    }
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
}

awaitable<hook_verdict> count_call(int* calls, hook_input) {
    ++*calls;
    co_return hook_verdict::allow();
}

// After-hooks of a head that was passed over don't run: they are among what its replay brings.
// Proves: D8
TEST(KitLanes, ASkippedHeadHasNoAfterEffects) {
    lane_scene scene;
    int calls = 0;
    hook_definition hook;
    hook.id = hook_id{"after"};
    hook.point = hook_point::after_delivery;
    hook.run = coroutine_hook{[&calls](hook_input input) {
        return count_call(&calls, std::move(input));
    }};
    ASSERT_TRUE(scene.kit->add_hook(hook));
    scene.phone->then(scripted_attempt::hangs());
    scene.open();
    scene.say("one");
    scene.loop.advance(milliseconds{100});
    scene.skip();
    scene.loop.advance(seconds{1});
    EXPECT_EQ(calls, 0);
    ASSERT_TRUE(scene.loop.run(scene.kit->replay_skip({}, 1)).has_value());
    scene.loop.advance(seconds{2});
    EXPECT_EQ(calls, 1);
}

// Only the head that the operator saw, and only where something waits.
// Proves: D8
TEST(KitLanes, AnotherHeadIsNotSkipped) {
    lane_scene scene;
    scene.open();
    EXPECT_EQ(scene.skip().verdict, lane_verdict::nothing_waits);
    scene.pause();
    scene.say("one");
    const skipped_head refused = scene.skip(event_index{7});
    EXPECT_EQ(refused.verdict, lane_verdict::head_moved);
    EXPECT_EQ(refused.head, event_index{0});
    EXPECT_EQ(scene.skip(event_index{0}).verdict, lane_verdict::done);
    scene.resume();
    scene.loop.advance(seconds{2});
    EXPECT_TRUE(scene.phone->attempts().empty());
    EXPECT_EQ(scene.loop.run(scene.kit->skip_head({}, room_id{"x"}, {})).error(), errc::not_found);
}

// What failed is delivered again, under the same id; what was delivered is not. Without a name the last event is meant.
// Proves: D8, D12
TEST(KitLanes, WhatFailedIsRedelivered) {
    lane_scene scene;
    scene.phone->then(scripted_attempt::fails_for_good());
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("one")));
    const event_id failed = scene.timeline().front().id;
    const delivery_row row = scene.phone_row(failed);
    EXPECT_EQ(row.state, delivery_state::failed);

    const redelivered_event again = scene.redeliver();
    EXPECT_EQ(again.verdict, lane_verdict::done);
    EXPECT_EQ(again.event, failed);
    EXPECT_EQ(again.queued, 1U);
    scene.loop.advance(seconds{2});
    ASSERT_EQ(scene.phone->sent().size(), 1U);
    EXPECT_EQ(scene.phone->sent().front().id, row.id);
    EXPECT_EQ(scene.phone_row(failed).state, delivery_state::done);
    EXPECT_EQ(scene.redeliver(failed).verdict, lane_verdict::nothing_missed);
    EXPECT_EQ(
        scene.loop.run(scene.kit->redeliver({}, room_r, event_id{"x"})).error(), errc::not_found
    );
}

/// A room with one delivery that failed for good or was passed over; the phone takes what comes from here on.
using lost_step = std::function<error_code(lane_scene&, const event_id&)>;

void expect_order_after_a_lost_answer(lane_scene& scene, const lost_step& step) {
    const event_id missed = scene.timeline().front().id;
    scene.phone->then(scripted_attempt::sends_after(seconds{2}));  // the item, which is tried first
    scene.store.lost_answers = 1;
    EXPECT_EQ(step(scene, missed), errc::outcome_unknown);
    const event_id next = scene.say("next");
    scene.loop.advance(seconds{1});
    // It waits behind the item, which is on its way still.
    EXPECT_EQ(scene.phone->attempts().size(), 2U);
    EXPECT_EQ(scene.phone->attempts().back().event.index, event_index{0});
    EXPECT_EQ(scene.phone_row(next).state, delivery_state::deferred);
    scene.loop.advance(std::chrono::minutes{5});
    EXPECT_EQ(indexes_of(scene.phone->sent()), (indexes{0, 1}));
}

// What was queued again although no answer told of it goes before what is sent after it.
// Proves: D8, D12
TEST(KitLanes, ALostRedeliveryKeepsTheOrder) {
    lane_scene scene;
    scene.phone->then(scripted_attempt::fails_for_good());
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("one")));
    expect_order_after_a_lost_answer(scene, [](lane_scene& in, const event_id& event) {
        return in.loop.run(in.kit->redeliver({}, room_r, event)).error();
    });
}

// The same of a skip that is replayed.
// Proves: D8, D12
TEST(KitLanes, ALostReplayKeepsTheOrder) {
    lane_scene scene;
    scene.phone->then(scripted_attempt::hangs());
    scene.open();
    scene.say("one");
    scene.loop.advance(milliseconds{100});
    EXPECT_EQ(scene.skip().verdict, lane_verdict::done);
    scene.loop.advance(milliseconds{100});
    const auto skips = scene.ask(ops::list_skips{room_r, 0, 10});
    ASSERT_EQ(skips.size(), 1U);
    expect_order_after_a_lost_answer(scene, [&](lane_scene& in, const event_id&) {
        return in.loop.run(in.kit->replay_skip({}, skips.front().id)).error();
    });
}

// An answer that failed is made again, once it is asked for.
// Proves: D8, A8
TEST(KitLanes, AFailedAnswerIsMadeAgain) {
    lane_scene scene;
    auto agent = std::make_shared<scripted_agent>(
        channel_id{"bot"},
        std::vector<agent_script>{agent_script{}.fail("no_model"), agent_script{}.say("answer")}
    );
    scene.add(agent);
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("question")));
    EXPECT_EQ(scene.timeline().size(), 1U);
    const redelivered_event again = scene.redeliver(scene.timeline().front().id);
    EXPECT_EQ(again.reopened, 1U);
    scene.loop.advance(seconds{2});
    ASSERT_EQ(scene.timeline().size(), 2U);
    EXPECT_EQ(readable_text(scene.timeline().back().content), "answer");
}

// How long claims are waited for, and how long others wait for ours, is counted.
// Proves: D14
TEST(KitLanes, ClaimsAreTimed) {
    lane_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(seconds{3}));
    scene.open();
    const auto blocking = scene.loop.run(
        scene.locks->try_acquire(lease_name::delivery(organization_id{}, room_r))
    );
    ASSERT_TRUE(blocking.has_value());
    scene.say("one");
    scene.loop.advance(seconds{1});
    EXPECT_EQ(scene.kit->lane_timing().claim_wait.count, 0U);
    ASSERT_TRUE(scene.loop.run((*blocking)->release()).has_value());
    scene.loop.run_ready();
    EXPECT_EQ(scene.kit->lane_timing().claim_wait.count, 1U);
    EXPECT_EQ(scene.kit->lane_timing().claim_wait.sum, seconds{1});

    scene.loop.advance(seconds{1});
    EXPECT_TRUE(scene.pause().is_settled);
    EXPECT_EQ(scene.kit->lane_timing().handover.count, 1U);
    EXPECT_EQ(scene.kit->lane_timing().handover.sum, seconds{3});
}

}  // namespace
}  // namespace convene
