// SPDX-License-Identifier: Apache-2.0
// Agents with models and tools in rooms: what people see, what the model sees, and what stays on record.
#include "agent/model_agent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/operations/people.hpp"
#include "unit/agent/model_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using texts = std::vector<std::string>;

/// What became of the agent's row of an event.
std::string row_of(const send_receipt& receipt, const std::string& agent) {
    for (const target_result& target : receipt.targets) {
        if (target.channel == channel_id{agent}) {
            return std::string{word_of(target.state)} + " " + target.outcome.error_code;
        }
    }
    return "none";
}

std::vector<std::string> texts_of(const model_request& asked) {
    std::vector<std::string> all;
    for (const chat_message& message : asked.messages) {
        all.push_back((message.name.empty() ? "" : message.name + ": ") + message.text);
    }
    return all;
}

// A short answer is one event, made from the conversation and the instructions.
// Proves: A8, D5
TEST(ModelAgent, AnswersShortlyInOneEvent) {
    kit_scene scene;
    const auto model = add_agent(
        scene, agent_called("bot"), {model_script{}.say("Hello").say(" Ann.")}
    );
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hi"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(row_of(*receipt, "bot"), "done ");
    EXPECT_THAT(told(scene.timeline()), ElementsAre("message hi", "message Hello Ann."));
    ASSERT_THAT(model->requests, SizeIs(1));
    EXPECT_EQ(model->requests[0].system, "Be brief.");
    EXPECT_THAT(texts_of(model->requests[0]), ElementsAre("hi"));
    EXPECT_THAT(model->requests[0].tools, SizeIs(3));
    ASSERT_TRUE(scene.send(kit_scene::says("bye")));
    EXPECT_THAT(texts_of(model->requests[1]), ElementsAre("hi", "Hello Ann.", "bye"));
}

// A long answer reaches other channels in segments while it is made, in order; the channel it is shown on gets none.
// Proves: D6, D5
TEST(ModelAgent, StreamsSegments) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.streams_to = channel_id{"web"};
    model_script script;
    script.say("The first paragraph.\n\nThe")
        .wait(1s)
        .say(" second one.\n\n")
        .wait(1s)
        .say("Third.");
    add_agent(scene, settings, {script});
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> answered;
    scene.start_send(scope, kit_scene::says("go"), answered);
    scene.loop.advance(500ms);
    EXPECT_EQ(convene::texts_of(scene.phone->sent()), (texts{"go", "The first paragraph."}));
    scene.loop.advance(1s);
    EXPECT_EQ(
        convene::texts_of(scene.phone->sent()),
        (texts{"go", "The first paragraph.", "The second one."})
    );
    scene.loop.run(scope.join());
    EXPECT_EQ(
        convene::texts_of(scene.phone->sent()),
        (texts{"go", "The first paragraph.", "The second one.", "Third."})
    );
    EXPECT_TRUE(scene.web->sent().empty());
}

// A model that pauses in the middle of a sentence holds back nothing that was finished before: it is said when the patience
// of segments is over, and not sooner; the rest follows, and nothing is said twice.
// Proves: D6
TEST(ModelAgent, SaysFinishedSentencesWhenTheModelPauses) {
    kit_scene scene;
    model_script script;
    script.say("One moment, please. I am").wait(60s).say(" back. And").wait(60s).say(" done.");
    add_agent(scene, agent_called("bot"), {script});
    scene.open();
    task_scope scope{scene.loop};
    std::optional<result<send_receipt>> answered;
    scene.start_send(scope, kit_scene::says("go"), answered);
    scene.loop.advance(1900ms);
    EXPECT_EQ(convene::texts_of(scene.phone->sent()), (texts{"go"}));
    scene.loop.advance(200ms);
    EXPECT_EQ(convene::texts_of(scene.phone->sent()), (texts{"go", "One moment, please."}));
    scene.loop.advance(59s);
    EXPECT_EQ(
        convene::texts_of(scene.phone->sent()), (texts{"go", "One moment, please.", "I am back."})
    );
    scene.loop.advance(61s);
    scene.loop.run(scope.join());
    EXPECT_EQ(
        convene::texts_of(scene.phone->sent()),
        (texts{"go", "One moment, please.", "I am back.", "And done."})
    );
}

// The same answer in one piece where the setting says so.
// Proves: D6
TEST(ModelAgent, WaitsForTheWholeWhereItShould) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.writing.form = answer_form::whole;
    add_agent(
        scene, settings, {model_script{}.say("The first paragraph.\n\n").say("The second.\n")}
    );
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("go")));
    EXPECT_THAT(
        told(scene.timeline()),
        ElementsAre("message go", "message The first paragraph.\n\nThe second.")
    );
}

// A tool round: what was said before it is told at once, the call is on record before and after, seen by no channel,
// and the model sees it in this answer and the next.
// Proves: A9, D6
TEST(ModelAgent, CallsToolsOnRecord) {
    kit_scene scene;
    const auto search = scripted_tool::saying("search", "a train at nine");
    const auto model = add_agent(
        scene,
        agent_called("bot"),
        {model_script{}.say("Let me look.").call("1", "search", R"({"q":"trains"})"),
         model_script{}.say("At nine."),
         model_script{}.say("Welcome.")},
        {search}
    );
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("when?")));
    EXPECT_THAT(
        told(scene.timeline()),
        ElementsAre(
            "message when?",
            "message Let me look.",
            "tool_call_start [Tool search: pending]",
            "tool_call_end [Tool search: completed]",
            "message At nine."
        )
    );
    EXPECT_EQ(convene::texts_of(scene.phone->sent()), (texts{"when?", "Let me look.", "At nine."}));
    ASSERT_THAT(search->where, SizeIs(1));
    EXPECT_EQ(search->where[0].room, room_id{"r"});
    EXPECT_EQ(search->where[0].agent, channel_id{"bot"});
    EXPECT_EQ(search->where[0].on_behalf_of, "ann");

    ASSERT_TRUE(scene.send(kit_scene::says("thanks")));
    EXPECT_THAT(
        texts_of(model->requests[2]),
        ElementsAre("when?", "Let me look.", "a train at nine", "At nine.", "thanks")
    );
}

// An answer that only looks something up first is still a whole one, and asks other agents in its own name.
// Proves: A9, R11, D7
TEST(ModelAgent, AsksOthersWithItsTextAndNotItsCalls) {
    kit_scene scene;
    add_agent(
        scene,
        agent_called("bot"),
        {model_script{}.call("1", "search"), model_script{}.say("Found.")},
        {scripted_tool::saying("search", "found")}
    );
    const auto critic = scene.add_agent("critic", agent_script{}.task("seen"));
    scene.open();
    outgoing_event asked = kit_scene::says("look");
    asked.addressed_to = std::vector<channel_id>{channel_id{"bot"}};
    ASSERT_TRUE(scene.send(asked));
    ASSERT_THAT(critic->requests(), SizeIs(1));
    EXPECT_EQ(readable_text(critic->requests()[0].trigger.content), "Found.");
    for (const room_event& event : critic->requests()[0].history) {
        EXPECT_NE(event.content.type(), content_type::tool_call) << "another agent's call";
    }
}

// Records of calls are shown to whom the setting says.
// Proves: A9, R10
TEST(ModelAgent, ShowsItsCallsWhereItShould) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.writing.calls_shown_to = visibility{std::vector<channel_id>{channel_id{"web"}}};
    add_agent(
        scene,
        settings,
        {model_script{}.call("1", "search"), model_script{}.say("Found.")},
        {scripted_tool::saying("search", "found")}
    );
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("look")));
    EXPECT_EQ(
        convene::texts_of(scene.web->sent()),
        (texts{"[Tool search: pending]", "[Tool search: completed]", "Found."})
    );
    EXPECT_EQ(convene::texts_of(scene.phone->sent()), (texts{"look", "Found."}));
}

// The model is shown what the agent may see, and no more, with names where several people speak.
// Proves: R10, A9
TEST(ModelAgent, SeesWhatTheAgentMaySee) {
    kit_scene scene;
    const auto model = add_agent(
        scene,
        agent_called("bot"),
        {model_script{}.call("1", "read_messages", R"({"before":4})"), model_script{}.say("ok")}
    );
    scene.open();
    const auto send = [&scene](std::string text, std::string who, visibility to) {
        outgoing_event sent = kit_scene::says(std::move(text));
        sent.participant = participant_id{std::move(who)};
        sent.visible_to = std::move(to);
        sent.addressed_to.emplace();
        ASSERT_TRUE(scene.send(std::move(sent)));
    };
    send("for all", "ann", {});
    send("for people", "bob", visibility{visibility::scope::transport});
    send("for bot", "ann", visibility{std::vector<channel_id>{channel_id{"bot"}}});
    const auto receipt = scene.send(kit_scene::says("and now?"));
    ASSERT_TRUE(receipt);
    EXPECT_THAT(texts_of(model->requests[0]), ElementsAre("for all", "for bot", "and now?"));
    const std::string read = model->requests[1].messages.back().text;
    EXPECT_EQ(
        read, "0 ann: for all\n2 ann: for bot\n3 ann: and now?\nThere are no older messages."
    );
}

// What is older than the window can be read by a tool, from where the window begins.
// Proves: A9, R10
TEST(ModelAgent, ReadsOlderMessages) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.window.tokens = 30;
    const auto model = add_agent(
        scene,
        settings,
        {model_script{}.call("1", "read_messages", R"({"limit":2})"), model_script{}.say("ok")}
    );
    scene.open();
    for (const std::string text : {"zero", "one", "two"}) {
        outgoing_event sent = kit_scene::says(text + std::string(60, '.'));
        sent.addressed_to.emplace();
        ASSERT_TRUE(scene.send(std::move(sent)));
    }
    ASSERT_TRUE(scene.send(kit_scene::says("now")));
    EXPECT_THAT(texts_of(model->requests[0]), ElementsAre("two" + std::string(60, '.'), "now"));
    EXPECT_EQ(
        model->requests[1].messages.back().text,
        "0 ann: zero" + std::string(60, '.') + "\n1 ann: one" + std::string(60, '.') +
            "\nOlder: before 0."
    );
}

// Tasks and observations are stored with the answer.
// Proves: A9, R10
TEST(ModelAgent, LeavesNotesWithItsAnswer) {
    kit_scene scene;
    add_agent(
        scene,
        agent_called("bot"),
        {model_script{}
             .call("1", "add_task", R"({"title":"call back","assigned_to":"bob"})")
             .call("2", "observe", R"({"text":"in a hurry","category":"mood"})")
             .call("3", "add_task", R"({"name":"wrong"})"),
         model_script{}.say("Noted.")}
    );
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("call me back")));
    const auto tasks = scene.ask(ops::list_tasks{{}, room_id{"r"}, {}});
    ASSERT_THAT(tasks, SizeIs(1));
    EXPECT_EQ(tasks[0].title, "call back");
    EXPECT_EQ(tasks[0].assigned_to, "bob");
    const auto seen = scene.ask(ops::list_observations{{}, room_id{"r"}});
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].content, "in a hurry");
    EXPECT_EQ(seen[0].channel, channel_id{"bot"});
}

// A model's failure is the row's, by its word; nothing is said.
// Proves: A8
TEST(ModelAgent, FailsByTheModelsWord) {
    for (const auto& [code, word] : std::vector<std::pair<errc, std::string>>{
             {errc::model_unavailable, "failed model_unavailable"},
             {errc::model_overloaded, "failed model_overloaded"},
             {errc::model_refused, "failed model_refused"},
         }) {
        kit_scene scene;
        add_agent(scene, agent_called("bot"), {model_script{}.fail(code)});
        scene.open();
        const auto receipt = scene.send(kit_scene::says("hi"));
        ASSERT_TRUE(receipt);
        EXPECT_EQ(row_of(*receipt, "bot"), word);
        EXPECT_THAT(scene.timeline(), SizeIs(1));
    }
    kit_scene scene;
    add_agent(scene, agent_called("bot"), {model_script{}.finish(finish_reason::refused)});
    scene.open();
    const auto receipt = scene.send(kit_scene::says("hi"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(row_of(*receipt, "bot"), "failed model_refused");
}

// An answer that is cut off keeps what came, also where it is not streamed, and is marked.
// Proves: A8, D6
TEST(ModelAgent, KeepsWhatCameOfACutAnswer) {
    for (const answer_form form : {answer_form::whole, answer_form::streamed}) {
        kit_scene scene;
        model_agent_settings settings = agent_called("bot");
        settings.writing.form = form;
        add_agent(scene, settings, {model_script{}.say("It is").fail(errc::answer_cut_off)});
        scene.open();
        ASSERT_TRUE(scene.send(kit_scene::says("what?")));
        EXPECT_THAT(
            told(scene.timeline()),
            ElementsAre("message what?", "message It is", "system The answer was cut off.")
        );
    }
}

// Past its deadline an answer ends in order: its call is recorded as unknown.
// Proves: A9
TEST(ModelAgent, RecordsCallsThatWereCutOff) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.deadline = 1s;
    const auto model = add_agent(
        scene,
        settings,
        {model_script{}.call("1", "slow"), model_script{}.say("I don't know.")},
        {scripted_tool::slow("slow", 1h)}
    );
    scene.open();
    const auto receipt = scene.send(kit_scene::says("look"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(row_of(*receipt, "bot"), "failed timed_out");
    EXPECT_THAT(
        told(scene.timeline()),
        ElementsAre(
            "message look",
            "tool_call_start [Tool slow: pending]",
            "tool_call_end [Tool slow: failed]"
        )
    );
    ASSERT_TRUE(scene.send(kit_scene::says("and?")));
    const std::vector<chat_message>& shown = model->requests[1].messages;
    ASSERT_THAT(shown, SizeIs(4));
    EXPECT_TRUE(shown[2].is_error);
    EXPECT_EQ(shown[2].text, outcome_unknown_text);
}

// A model that only calls tools fails with a word that says so.
// Proves: A9
TEST(ModelAgent, StopsCallingAtItsLimit) {
    kit_scene scene;
    model_agent_settings settings = agent_called("bot");
    settings.limits.rounds = 2;
    const auto search = scripted_tool::saying("search", "found");
    add_agent(scene, settings, {model_script{}.call("1", "search")}, {search});
    scene.open();
    const auto receipt = scene.send(kit_scene::says("look"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(row_of(*receipt, "bot"), "failed tool_limit");
    EXPECT_THAT(search->got, SizeIs(1));
}

// Two agents that answer each other stop at the chain limit; what they call tools for costs none of it.
// Proves: R11
TEST(ModelAgent, AChainOfAgentsEnds) {
    kit_scene scene;
    for (const std::string id : {"a", "b"}) {
        add_agent(
            scene,
            agent_called(id),
            {model_script{}.call("1", "search").say("x"), model_script{}.say("from " + id)},
            {scripted_tool::saying("search", "found")}
        );
    }
    scene.open();
    outgoing_event opening = kit_scene::says("start");
    opening.addressed_to = std::vector<channel_id>{channel_id{"a"}};
    ASSERT_TRUE(scene.send(opening));
    std::int32_t deepest = 0;
    for (const room_event& event : scene.timeline()) {
        if (event.status == event_status::accepted) {
            deepest = std::max(deepest, event.chain_depth);
        }
    }
    EXPECT_EQ(deepest, 4);
    EXPECT_THAT(scene.notices("chain_depth_exceeded"), testing::Not(IsEmpty()));
}

// A cascade's budget bounds agents that answer each other too.
// Proves: R11
TEST(ModelAgent, ACascadeHasABudget) {
    room_kit_settings with;
    with.max_chain_depth = 100;
    with.cascade_budget = 6;
    kit_scene scene{with};
    for (const std::string id : {"a", "b"}) {
        add_agent(scene, agent_called(id), {model_script{}.say("from " + id)});
    }
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("start")));
    EXPECT_LE(scene.timeline().size(), 9U);
    EXPECT_THAT(scene.notices("cascade_budget_exceeded"), testing::Not(IsEmpty()));
}

// Closing the kit in the middle of a call ends the call; the row is left for the next worker.
// Proves: D7, A9
TEST(ModelAgent, StopsWithItsWorker) {
    room_kit_settings with;
    with.drain_deadline = 1s;
    kit_scene scene{with};
    add_agent(
        scene,
        agent_called("bot"),
        {model_script{}.call("1", "slow")},
        {scripted_tool::slow("slow", 1h)}
    );
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("look"), wait_for::committed));
    scene.loop.advance(100ms);
    scene.loop.run(scene.kit->close());
    const auto rows = scene.ask(ops::list_deliveries{room_id{"r"}, scene.timeline()[0].id});
    for (const delivery_row& row : rows) {
        EXPECT_TRUE(row.kind != target_kind::agent || !is_final(row.state));
    }
}

/// A worker that dies in the middle of an answer, after these scripts.
std::shared_ptr<shared_world> die_in_an_answer(
    std::vector<model_script> scripts, const std::vector<std::shared_ptr<tool>>& tools
) {
    auto world = std::make_shared<shared_world>();
    kit_scene dying{world, {}};
    add_agent(dying, agent_called("bot"), std::move(scripts), tools);
    dying.open();
    EXPECT_TRUE(dying.send(kit_scene::says("look"), wait_for::committed));
    dying.loop.advance(100ms);
    dying.crash();
    return world;
}

// A worker that dies in a call: the next one answers once, and its model is told of the call, which it need not make
// again. Nothing was said, so nothing is closed; notes that were taken are stored with the answer.
// Proves: A9, D7
TEST(ModelAgent, AnswersOnceAfterACrashInACall) {
    const auto world = die_in_an_answer(
        {model_script{}.call("1", "search").call("2", "add_task", R"({"title":"call back"})"),
         model_script{}.call("1", "slow")},
        {scripted_tool::saying("search", "found"), scripted_tool::slow("slow", 1h)}
    );
    kit_scene next{world, {}};
    const auto model = add_agent(next, agent_called("bot"), {model_script{}.say("Done.")});
    next.reopen();
    next.loop.advance(1s);
    ASSERT_THAT(model->requests, SizeIs(1));
    const std::vector<chat_message>& shown = model->requests[0].messages;
    ASSERT_THAT(shown, SizeIs(6));
    EXPECT_EQ(shown[0].text, "look");
    EXPECT_EQ(shown[2].text, "found");
    EXPECT_EQ(shown[5].text, outcome_unknown_text);
    EXPECT_THAT(
        told(next.timeline()),
        ElementsAre(
            "message look",
            "tool_call_start [Tool search: pending]",
            "tool_call_start [Tool add_task: pending]",
            "tool_call_end [Tool search: completed]",
            "tool_call_end [Tool add_task: completed]",
            "tool_call_start [Tool slow: pending]",
            "message Done."
        )
    );
    EXPECT_THAT(next.ask(ops::list_tasks{{}, room_id{"r"}, {}}), SizeIs(1));
}

// One that dies in the middle of its text: what was said is closed as cut off, and the answer made once more; one
// that dies again is not made a third time.
// Proves: A9, D6, D7
TEST(ModelAgent, ClosesACutAnswerAndMakesOneMore) {
    const auto world = die_in_an_answer(
        {model_script{}.say("The first paragraph.\n\nThe").hang()}, {}
    );
    {
        kit_scene dying{world, {}};
        add_agent(
            dying,
            agent_called("bot"),
            {model_script{}.call("1", "slow")},
            {scripted_tool::slow("slow", 1h)}
        );
        dying.reopen();
        dying.loop.advance(1s);
        dying.crash();
    }
    kit_scene last{world, {}};
    const auto model = add_agent(last, agent_called("bot"), {model_script{}.say("Never.")});
    last.reopen();
    last.loop.advance(1s);
    EXPECT_THAT(model->requests, IsEmpty());
    EXPECT_THAT(
        told(last.timeline()),
        ElementsAre(
            "message look",
            "message The first paragraph.",
            "system The answer was cut off.",
            "tool_call_start [Tool slow: pending]"
        )
    );
}

}  // namespace
}  // namespace convene
