// SPDX-License-Identifier: Apache-2.0
// Agents in a kit: whole and streamed answers, chains, and what a crash leaves of them.
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using texts = std::vector<std::string>;

/// Sends into the room whose lane is running the answer.
awaitable<result<>> send_a_note(room_kit* kit) {
    outgoing_event note;
    note.room = room_id{"r"};
    note.content = content::text("looking it up");
    note.addressed_to.emplace();
    const auto sent = co_await kit->send_event(std::move(note), wait_for::delivered);
    if (!sent) {
        co_return sent.error();
    }
    EXPECT_EQ(sent->progress, delivery_progress::committed);
    co_return result<>{};
}

/// Streams what it says and hands it in as a whole too.
class repeating_agent final : public agent_channel {
   public:
    [[nodiscard]] channel_id id() const override { return channel_id{"bot"}; }

    [[nodiscard]] std::string type() const override { return "agent"; }

    [[nodiscard]] awaitable<agent_answer> answer(agent_request, answer_sink* sink) override {
        content piece = content::text("an answer");
        const result<> said = co_await sink->segment(std::move(piece));
        EXPECT_TRUE(said);
        agent_answer given;
        given.whole = content::text("an answer");
        co_return given;
    }
};

// On return the answer is committed, delivered, caused by its trigger, and the cursor is at the end.
// Proves: D5, D10, R11, R11a (rk:L16)
TEST(KitAgents, ReturnsWhenTheAnswerHasBeenDelivered) {
    kit_scene scene;
    scene.add_agent("bot", agent_script{}.wait(milliseconds{300}).say("You said {text}"));
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->progress, delivery_progress::delivered);
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].caused_by, receipt->event.id);
    EXPECT_EQ(events[1].chain_depth, 1);
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"hello", "You said hello"}));
    EXPECT_EQ(texts_of(scene.web->sent()), texts{"You said hello"});
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{1});
}

// Segments reach the phone while the answer is being made; the channel it is shown on does not get them again.
// Proves: D6, D5 (rk:O3)
TEST(KitAgents, DeliversSegmentsAsTheyAreProduced) {
    kit_scene scene;
    agent_script script;
    script.segment("first half").wait(seconds{2}).segment("second half");
    scripted_agent_settings with;
    with.streams_to = channel_id{"web"};
    scene.add(
        std::make_shared<scripted_agent>(channel_id{"bot"}, std::vector<agent_script>{script}, with)
    );
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> answered;
    scene.start_send(scope, kit_scene::says("go"), answered);
    scene.loop.advance(seconds{1});
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"go", "first half"}));
    EXPECT_FALSE(answered) << "the answer has not ended";
    scene.loop.run(scope.join());
    ASSERT_TRUE(answered && *answered);
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"go", "first half", "second half"}));
    EXPECT_TRUE(scene.web->sent().empty());
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{2});
}

// A generation that does not stream holds the lane; during a streamed one a new message goes out between the
// segments.
// Proves: D2
TEST(KitAgents, AMessageGoesOutBetweenSegments) {
    kit_scene scene;
    agent_script script;
    script.segment("one").wait(seconds{2}).segment("two");
    scene.add_agent("bot", script);
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> answered;
    scene.start_send(scope, kit_scene::says("go"), answered);
    scene.loop.advance(seconds{1});
    outgoing_event between = kit_scene::says("between");
    between.addressed_to.emplace();
    ASSERT_TRUE(scene.send(between));
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"go", "one", "between"}));
    scene.loop.run(scope.join());
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"go", "one", "between", "two"}));
}

// Two agents that answer each other stop at the chain limit: the last reply is stored blocked, on record.
// Proves: R11
TEST(KitAgents, AChainEndsAtItsLimit) {
    kit_scene scene;
    scene.add_agent("a", agent_script{}.say("from a"));
    scene.add_agent("b", agent_script{}.say("from b"));
    scene.open();
    outgoing_event opening = kit_scene::says("start");
    opening.addressed_to = std::vector<channel_id>{channel_id{"a"}};
    ASSERT_TRUE(scene.send(opening));
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 6U);
    EXPECT_EQ(events[4].chain_depth, 4);
    EXPECT_EQ(events[4].status, event_status::accepted);
    EXPECT_EQ(events[5].status, event_status::blocked);
    EXPECT_EQ(scene.notices("chain_depth_exceeded").size(), 1U);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{5});
}

// A muted agent thinks, but what it says is stored blocked and shown to nobody.
// Proves: R10
TEST(KitAgents, AMutedAgentIsNotHeard) {
    kit_scene scene;
    scene.add_agent("bot", agent_script{}.task("call back").say("psst"));
    scene.open();
    ASSERT_TRUE(scene.loop.run(scene.kit->mute_channel({}, room_id{"r"}, channel_id{"bot"})));
    ASSERT_TRUE(scene.send(kit_scene::says("hello")));
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].status, event_status::blocked);
    EXPECT_EQ(texts_of(scene.phone->sent()), texts{"hello"});
    EXPECT_EQ(scene.ask(ops::list_tasks{organization_id{}, room_id{"r"}, std::nullopt}).size(), 1U);
}

// A room that closes while an agent thinks does not grow: the answer is refused and leaves no trace.
// Proves: R4
TEST(KitAgents, AnAnswerToAClosedRoomIsRefused) {
    kit_scene scene;
    scene.add_agent("bot", agent_script{}.wait(seconds{2}).say("too late"));
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> asked;
    scene.start_send(scope, kit_scene::says("hello"), asked);
    scene.loop.advance(seconds{1});
    ASSERT_TRUE(scene.loop.run(scene.kit->set_room_status({}, room_id{"r"}, room_status::closed)));
    scene.loop.run(scope.join());
    EXPECT_EQ(scene.timeline().size(), 1U);
    EXPECT_EQ(scene.notices("room_refused_event").size(), 1U);
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{0});
}

// An agent that sends into the room it answers in does not wait for itself.
// Proves: D10, R9 (rk:L14)
TEST(KitAgents, AnAgentMaySendIntoItsOwnRoom) {
    kit_scene scene;
    room_kit* kit = scene.kit.get();
    agent_script script;
    script.call([kit](agent_request) { return send_a_note(kit); });
    script.say("done");
    scene.add_agent("bot", script);
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->progress, delivery_progress::delivered);
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"hello", "looking it up", "done"}));
}

// An agent that throws in the middle keeps what it had said, marked as cut off; the row fails.
// Proves: D6, D12
TEST(KitAgents, ACutStreamKeepsItsPartialText) {
    kit_scene scene;
    agent_script script;
    script.segment("half an answ").fail_with_exception("model gone");
    scene.add_agent("bot", script);
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(readable_text(events[1].content), "half an answ");
    EXPECT_EQ(events[2].content.text_field("code"), "answer_interrupted");
    const auto rows = scene.ask(ops::list_deliveries{room_id{"r"}, receipt->event.id});
    for (const delivery_row& row : rows) {
        EXPECT_TRUE(is_final(row.state));
    }
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{2});
}

// The segments of a streamed answer are the answer: given again as a whole, it is not stored a second time.
// Proves: D6, R11
TEST(KitAgents, AStreamedAnswerIsNotStoredAgainAsAWhole) {
    kit_scene scene;
    scene.add(std::make_shared<repeating_agent>());
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("hello")));
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"hello", "an answer"}));
    EXPECT_EQ(scene.timeline().size(), 2U);
}

// What an agent says is repaired, never lost, and the event says what was repaired.
// Proves: R16
TEST(KitAgents, ARepairedAnswerSaysSo) {
    kit_scene scene;
    scene.add_agent("bot", agent_script{}.say("caf\xe9"));
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("hello")));
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(readable_text(events[1].content), "caf\xef\xbf\xbd");
    EXPECT_EQ(events[1].metadata.str(), R"({"repairs":{"invalid_utf8":1}})");
}

// A regenerated answer is a new answer to the last person's message, through the lane like any other.
// Proves: D5
TEST(KitAgents, RegeneratesAnAnswer) {
    kit_scene scene;
    const auto agent = scene.add_agent("bot", agent_script{}.say("an answer"));
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("question")));
    const auto again = scene.loop.run(scene.kit->regenerate_response({}, room_id{"r"}));
    ASSERT_TRUE(again);
    EXPECT_EQ(agent->requests().size(), 2U);
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"question", "an answer", "an answer"}));
    const room stored = scene.stored_room();
    EXPECT_EQ(stored.delivered_index, stored.latest_index);
}

}  // namespace
}  // namespace convene
