// SPDX-License-Identifier: Apache-2.0
// Sessions of one worker and of the next: one driver, one stream, one answer, whoever dies in between.
#include "agent/session/session_service.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/scripted_tool.hpp"
#include "support/session_scene.hpp"

namespace convene {
namespace {

using types = std::vector<std::string>;

std::size_t count_of(const types& all, const std::string& one) {
    return static_cast<std::size_t>(std::ranges::count(all, one));
}

toolbox with_tool(const std::shared_ptr<scripted_tool>& one) {
    toolbox tools;
    EXPECT_TRUE(tools.add(one));
    return tools;
}

/// The texts of the room's events, in order.
std::vector<std::string> texts_in(session_scene& in) {
    std::vector<std::string> texts;
    for (const room_event& event : in.scene.timeline()) {
        texts.push_back(readable_text(event.content));
    }
    return texts;
}

// A question through the run endpoint: stored, answered, and streamed from the first event to the one terminal one; what a
// reader puts together is the stored answer, under the same id.
// Proves: A1, A4, A7
TEST(SessionService, AnswersAQuestion) {
    session_scene worker{{model_script{}.think("Hm.").say("Hello, ").say("Ann.")}};
    worker.open();
    const agent_run_record run = worker.run(session_scene::says("Hello?"));

    EXPECT_EQ(run.status, run_status::finished);
    EXPECT_EQ(run.finish_reason, "stop");
    const types told = worker.frame_types(run.id);
    EXPECT_EQ(told.front(), "RUN_STARTED");
    EXPECT_EQ(told.back(), "RUN_FINISHED");
    EXPECT_EQ(count_of(told, "RUN_FINISHED") + count_of(told, "RUN_ERROR"), 1U);
    EXPECT_EQ(texts_in(worker), (std::vector<std::string>{"Hello?", "Hello, Ann."}));
    EXPECT_EQ(worker.told_texts(run.id), worker.stored_texts());
    const agent_session session = worker.session();
    EXPECT_EQ(session.status, session_status::idle);
    EXPECT_EQ(session.driver_epoch, 1);
    EXPECT_EQ(session.sequence, 2);
}

// The model is asked with what was said before, and the client's tools and context go along.
// Proves: A1, A4
TEST(SessionService, ShowsTheModelTheConversation) {
    session_scene worker{{model_script{}.say("One."), model_script{}.say("Two.")}};
    worker.open();
    (void)worker.run(session_scene::says("First?", "1"));
    turn_order second = session_scene::says("Second?", "2");
    second.said.context.push_back({"page", "orders"});
    (void)worker.run(second);
    ASSERT_EQ(worker.model->requests.size(), 2U);
    const model_request& asked = worker.model->requests.back();
    ASSERT_EQ(asked.messages.size(), 3U);
    EXPECT_EQ(asked.messages[0].text, "First?");
    EXPECT_EQ(asked.messages[1].role, chat_role::assistant);
    EXPECT_EQ(asked.messages[1].text, "One.");
    EXPECT_EQ(asked.messages[2].text, "Second?");
    EXPECT_NE(asked.system.find("page: orders"), std::string::npos);
}

// A tool is called after it is on record that it will be; its result is shown, stored and given to the model.
// Proves: A9
TEST(SessionService, CallsTools) {
    std::vector<tool_intent_state> seen;
    session_scene* scene = nullptr;
    const auto look = std::make_shared<scripted_tool>(
        "look",
        R"({"type":"object"})",
        [&](json_text) -> awaitable<result<tool_output>> {
            for (const tool_intent& intent :
                 scene->scene.world->stored.apply(ops::list_tool_calls{{}, room_id{"r"}, 10})
                     .value()) {
                seen.push_back(intent.state);
            }
            return scripted_tool::say("nothing");
        }
    );
    session_scene worker{
        {model_script{}.say("Let me look.").call("c1", "look"), model_script{}.say("Nothing.")},
        std::make_shared<shared_world>(),
        {},
        with_tool(look)
    };
    scene = &worker;
    worker.open();
    const agent_run_record run = worker.run(session_scene::says("What is there?"));

    EXPECT_EQ(run.status, run_status::finished);
    EXPECT_EQ(seen, std::vector<tool_intent_state>{tool_intent_state::started});
    const auto calls = worker.scene.ask(ops::list_tool_calls{{}, room_id{"r"}, 10});
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].state, tool_intent_state::done);
    const types told = worker.frame_types(run.id);
    EXPECT_EQ(worker.told_call_ids(run.id), std::set<std::string>{calls[0].call_id});
    EXPECT_EQ(count_of(told, "TOOL_CALL_START"), 1U);
    EXPECT_EQ(count_of(told, "TOOL_CALL_RESULT"), 1U);
    ASSERT_EQ(worker.model->requests.size(), 2U);
    const chat_message& result_seen = worker.model->requests[1].messages.back();
    EXPECT_EQ(result_seen.role, chat_role::tool);
    EXPECT_EQ(result_seen.text, "nothing");
    EXPECT_EQ(worker.told_texts(run.id), worker.stored_texts());
}

// A tool of the client's ends the run without a result; the result comes as a new run, and the call is paired in history.
// A result that nobody waits for is refused, and nothing is stored.
// Proves: A5
TEST(SessionService, LeavesClientToolsToTheClient) {
    session_scene worker{
        {model_script{}.call("c1", "pick", R"({"of":"colours"})"), model_script{}.say("Blue it is.")
        }
    };
    worker.open();
    turn_order order = session_scene::says("Which?");
    order.said.tools.push_back({"pick", "Picks", json_text::trusted(R"({"type":"object"})")});
    const agent_run_record asked = worker.run(order);
    EXPECT_EQ(asked.status, run_status::finished);
    const std::vector<open_call> open = worker.session().open_calls;
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0].arguments.str(), R"({"of":"colours"})");
    EXPECT_EQ(worker.told_call_ids(asked.id), std::set<std::string>{open[0].id});
    EXPECT_EQ(worker.session().status, session_status::waiting_for_input);
    EXPECT_EQ(count_of(worker.frame_types(asked.id), "TOOL_CALL_RESULT"), 0U);

    turn_order wrong;
    wrong.said.thread = "r";
    wrong.said.run = "run-2";
    wrong.said.results.push_back({"m", "nobody-asked", "x", false});
    const std::size_t before = worker.scene.timeline().size();
    EXPECT_EQ(worker.start(wrong).error(), errc::tool_call_not_open);
    EXPECT_EQ(worker.scene.timeline().size(), before);

    turn_order answer = wrong;
    answer.said.results = {{"m", open[0].id, "blue", false}};
    const agent_run_record answered = worker.run(answer);
    EXPECT_EQ(answered.status, run_status::finished);
    const std::vector<chat_message>& seen = worker.model->requests.back().messages;
    ASSERT_GE(seen.size(), 2U);
    EXPECT_EQ(seen.back().role, chat_role::tool);
    EXPECT_EQ(seen.back().text, "blue");
    EXPECT_EQ(seen[seen.size() - 2].calls.size(), 1U);
    EXPECT_TRUE(worker.session().open_calls.empty());
}

// While one drives nobody else does: a second run waits for five seconds, no longer, and is refused.
// Proves: A2
TEST(SessionService, RefusesASecondRunAfterFiveSeconds) {
    session_scene worker{{model_script{}.say("Well").hang()}};
    worker.open();
    const auto first = worker.start(session_scene::says("One?", "1"));
    ASSERT_TRUE(first);
    const monotonic_time asked_at = worker.scene.loop.now();
    EXPECT_EQ(
        worker.start(session_scene::says("Two?", "2")).error(), errc::session_run_in_progress
    );
    EXPECT_EQ(worker.scene.loop.now() - asked_at, seconds{5});
    EXPECT_EQ(worker.look(first->id).status, run_status::running);
}

// Cancel and start again at once: never refused, the old run ends before the new one begins, and what it had said is kept.
// Proves: A2, A3
TEST(SessionService, CancelsAndStartsAgain) {
    std::vector<model_script> answers;
    for (int i = 0; i < 50; ++i) {
        answers.push_back(model_script{}.say("Part " + std::to_string(i)).hang());
    }
    session_scene worker{answers};
    worker.open();
    run_id before;
    for (int round = 0; round < 50; ++round) {
        const auto started = worker.start(session_scene::says("Again?", "m" + std::to_string(round))
        );
        ASSERT_TRUE(started) << "round " << round << ": " << started.error().message();
        EXPECT_EQ(started->epoch, round + 1);
        if (!before.empty()) {
            const agent_run_record old = worker.look(before);
            EXPECT_EQ(old.status, run_status::cancelled);
            EXPECT_TRUE(old.is_stream_over);
        }
        worker.scene.loop.advance(milliseconds{100});
        before = started->id;
        ASSERT_TRUE(worker.scene.loop.run(worker.service.cancel({}, started->id)));
    }
    const agent_run_record last = worker.finish(before);
    EXPECT_EQ(last.status, run_status::cancelled);
    EXPECT_EQ(worker.stored_texts().size(), 50U);
    EXPECT_EQ(worker.told_texts(before).begin()->second, "Part 49");
}

// What becomes of a run whose starter leaves is its policy.
// Proves: A3
TEST(SessionService, FollowsThePolicyWhenItsStarterLeaves) {
    const auto run_with = [](disconnect_policy policy, std::chrono::milliseconds later) {
        session_scene worker{{model_script{}.say("Well,").wait(seconds{60}).say(" yes.")}};
        worker.open();
        turn_order order = session_scene::says("Is it?");
        order.on_disconnect = policy;
        const auto started = worker.start(order, run_starter::reads);
        EXPECT_TRUE(started);
        worker.scene.loop.advance(milliseconds{100});
        worker.service.starter_left(started->id);
        worker.scene.loop.advance(later);
        return worker.look(started->id).status;
    };
    EXPECT_EQ(run_with(disconnect_policy::cancel, milliseconds{500}), run_status::cancelled);
    EXPECT_EQ(run_with(disconnect_policy::detach, seconds{50}), run_status::running);
    EXPECT_EQ(run_with(disconnect_policy::detach, seconds{70}), run_status::finished);
    EXPECT_EQ(run_with(disconnect_policy::grace, seconds{29}), run_status::running);
    EXPECT_EQ(run_with(disconnect_policy::grace, seconds{31}), run_status::cancelled);
}

// The lease is kept until the starter has the end, but not for longer than five seconds.
// Proves: A1
TEST(SessionService, KeepsTheLeaseUntilTheEndIsTaken) {
    session_scene worker{{model_script{}.say("Yes."), model_script{}.say("Again.")}};
    worker.open();
    const auto first = worker.start(session_scene::says("Is it?", "1"), run_starter::reads);
    ASSERT_TRUE(first);
    (void)worker.finish(first->id);
    EXPECT_EQ(worker.service.driving(), 1U);
    worker.scene.loop.advance(seconds{5});
    EXPECT_EQ(worker.service.driving(), 0U);
}

/// A first worker that is killed after this long; then a second one, which takes the turn over.
void expect_taken_over(std::vector<model_script> answers, milliseconds life, toolbox tools = {}) {
    SCOPED_TRACE("killed after " + std::to_string(life.count()) + " ms");
    auto world = std::make_shared<shared_world>();
    run_id run;
    {
        session_scene dying{answers, world, {}, tools};
        dying.open();
        const auto started = dying.start(session_scene::says("Go on.", "kickoff"));
        ASSERT_TRUE(started);
        run = started->id;
        dying.scene.loop.advance(life);
        dying.crash();
    }
    session_scene next{{model_script{}.say("Where was I? Done.")}, world, {}, tools};
    next.reopen();
    next.service.start_runner();
    const agent_run_record ended = next.finish(run);

    EXPECT_EQ(ended.status, run_status::finished) << ended.error_code;
    const types told = next.frame_types(run);
    EXPECT_EQ(told.front(), "RUN_STARTED");
    EXPECT_EQ(count_of(told, "RUN_STARTED"), 1U);
    EXPECT_EQ(told.back(), "RUN_FINISHED");
    EXPECT_EQ(count_of(told, "RUN_FINISHED") + count_of(told, "RUN_ERROR"), 1U);
    EXPECT_EQ(count_of(told, "TOOL_CALL_START"), count_of(told, "TOOL_CALL_RESULT"));
    EXPECT_EQ(count_of(told, "TEXT_MESSAGE_START"), count_of(told, "TEXT_MESSAGE_END"));
    EXPECT_EQ(next.told_texts(run), next.stored_texts());
    std::size_t kickoffs = 0;
    for (const room_event& event : next.scene.timeline()) {
        kickoffs += readable_text(event.content) == "Go on." ? 1 : 0;
    }
    EXPECT_EQ(kickoffs, 1U);
    EXPECT_EQ(next.session().status, session_status::idle);
}

// kill -9 in each phase: before anything was said, in the middle of a text, in the middle of a tool call, while the model
// is silent. Another worker finishes the turn, in the same stream; what was asked is there once, no call is left without
// a result, and what readers put together is what is stored.
// Proves: A7, A9, N3
TEST(SessionService, TakesOverWhatADeadWorkerLeft) {
    const auto slow = scripted_tool::slow("look", milliseconds{400});
    const std::vector<model_script> answers{
        model_script{}
            .wait(milliseconds{100})
            .say("Let me ")
            .wait(milliseconds{100})
            .say("look.")
            .wait(milliseconds{100})
            .call("c1", "look"),
        model_script{}.say("Still here.").hang(),
    };
    for (int life = 0; life <= 1'000; life += 30) {
        expect_taken_over(answers, milliseconds{life}, with_tool(slow));
    }
}

// A worker dies between showing what came of a call and storing it: whoever goes on stores it as what it was, also where the
// call has failed, or was refused and so never begun.
// Proves: A9, N3
TEST(SessionService, KeepsWhatBecameOfACallThatADeadWorkerShowed) {
    using state = tool_intent_state;
    const auto kept_after = [](std::optional<state> intent) {
        auto world = std::make_shared<shared_world>();
        {
            session_scene dying{{model_script{}}, world};
            dying.open();
            dying.show_call(intent);
            dying.crash();
        }
        session_scene next{{model_script{}.say("Done.")}, world};
        next.reopen();
        next.service.start_runner();
        EXPECT_EQ(next.finish(run_id{"left"}).status, run_status::finished);
        for (const room_event& event : next.scene.timeline()) {
            if (event.id == event_id{"shown"}) {
                return event.content.tool_status();
            }
        }
        return std::optional<tool_call_status>{};
    };
    EXPECT_EQ(kept_after(state::done), tool_call_status::completed);
    EXPECT_EQ(kept_after(state::failed), tool_call_status::failed);
    EXPECT_EQ(kept_after(state::unknown), tool_call_status::failed);
    EXPECT_EQ(kept_after(std::nullopt), tool_call_status::failed);
}

// SIGTERM: the turn is handed over and its attempt does not count; the next worker goes on in the same stream.
// Proves: N4, O3
TEST(SessionService, HandsATurnOver) {
    auto world = std::make_shared<shared_world>();
    run_id run;
    turn_id turn;
    {
        session_scene leaving{{model_script{}.say("I will").hang()}, world};
        leaving.open();
        const auto started = leaving.start(session_scene::says("Go on."));
        ASSERT_TRUE(started);
        run = started->id;
        turn = started->turn;
        leaving.scene.loop.advance(milliseconds{200});
        leaving.stop();
        EXPECT_EQ(leaving.look(run).status, run_status::running);
        EXPECT_EQ(leaving.service.counted().handed_over, 1U);
    }
    session_scene next{{model_script{}.say("Done.")}, world};
    next.reopen();
    next.service.start_runner();
    EXPECT_EQ(next.finish(run).status, run_status::finished);
    const auto turns = next.scene.ask(ops::list_turns{{}, room_id{"r"}, {}, 10});
    ASSERT_EQ(turns.size(), 1U);
    EXPECT_EQ(turns[0].id, turn);
    EXPECT_EQ(turns[0].attempts, 1);
    EXPECT_EQ(turns[0].status, turn_status::done);
    EXPECT_EQ(next.told_texts(run), next.stored_texts());
}

// A driver whose lease is taken away writes nothing more; the turn is given back, and goes on.
// Proves: L7, N3
TEST(SessionService, GivesBackWhatItMayNoLongerDrive) {
    session_scene worker{{model_script{}.say("I will").hang(), model_script{}.say("Done.")}};
    worker.open();
    const auto started = worker.start(session_scene::says("Go on."));
    ASSERT_TRUE(started);
    worker.scene.loop.advance(milliseconds{200});
    const std::size_t events = worker.scene.timeline().size();
    const std::size_t frames = worker.frames(started->id).size();
    const deadline until{worker.scene.loop.now() + seconds{5}};
    const lease_name name{lease_kind::session, {}, "r"};
    EXPECT_TRUE(worker.scene.loop.run(worker.scene.locks->revoke(name, until)));
    EXPECT_EQ(worker.scene.timeline().size(), events);
    EXPECT_EQ(worker.frames(started->id).size(), frames);
    EXPECT_EQ(worker.service.counted().fenced, 1U);

    worker.service.start_runner();
    EXPECT_EQ(worker.finish(started->id).status, run_status::finished);
    EXPECT_EQ(worker.told_texts(started->id), worker.stored_texts());
}

// Turns that nobody's request drives are run at once, so many at a time as there are hands.
// Proves: N1, N2, N5
TEST(SessionService, RunsQueuedTurns) {
    session_scene worker{{model_script{}.say("Started.")}};
    worker.open();
    worker.service.start_runner();
    worker.scene.loop.run_ready();
    session_turn turn;
    turn.room = room_id{"r"};
    turn.kind = turn_kind::kickoff;
    turn.input = write_turn_order(session_scene::says("Start.", "kickoff"));
    const auto queued = worker.scene.loop.run(worker.service.queue(turn));
    ASSERT_TRUE(queued);
    worker.scene.loop.advance(milliseconds{100});
    EXPECT_EQ(texts_in(worker), (std::vector<std::string>{"Start.", "Started."}));
    EXPECT_EQ(worker.turns_announced, 1);
}

// A turn that kills each worker that runs it is set aside after five, and the operator can have it run again.
// Proves: N4
TEST(SessionService, QuarantinesWhatKillsWorkers) {
    auto world = std::make_shared<shared_world>();
    {
        session_scene first{{model_script{}.hang()}, world};
        first.open();
        ASSERT_TRUE(first.start(session_scene::says("Boom.")));
        first.scene.loop.advance(milliseconds{100});
        first.crash();
    }
    for (int life = 0; life < 5; ++life) {
        session_scene next{{model_script{}.hang()}, world};
        next.reopen();
        next.service.start_runner();
        next.scene.loop.advance(seconds{3});
        next.crash();
    }
    session_scene operators{{model_script{}.say("Fine.")}, world};
    operators.reopen();
    const auto turns = operators.scene.ask(ops::list_turns{{}, room_id{"r"}, {}, 10});
    ASSERT_EQ(turns.size(), 1U);
    EXPECT_EQ(turns[0].status, turn_status::quarantined);
    EXPECT_EQ(operators.session().status, session_status::quarantined);
    (void)operators.scene.ask(ops::retry_turn{{}, turns[0].id});
    operators.service.start_runner();
    // The run that killed workers is over; it is run as another one.
    EXPECT_TRUE(operators.look(turns[0].run).is_stream_over);
    operators.scene.loop.advance(seconds{1});
    const run_id again = operators.session().run;
    EXPECT_NE(again, turns[0].run);
    EXPECT_EQ(operators.finish(again).status, run_status::finished);
}

// What was shown before a turn is set aside is kept as an event, as far as it came and once, under the id that it was shown
// with; also where the first try to keep it has no answer.
// Proves: D6, N4
TEST(SessionService, KeepsTheTextOfWhatItQuarantines) {
    for (const int lost : {0, 1}) {
        auto world = std::make_shared<shared_world>();
        run_id run;
        for (int life = 0; life < 5; ++life) {
            session_scene dying{{model_script{}.say("Life " + std::to_string(life)).hang()}, world};
            if (life == 0) {
                dying.open();
                run = dying.start(session_scene::says("Boom.")).value().id;
            } else {
                dying.reopen();
                dying.service.start_runner();
            }
            dying.scene.loop.advance(seconds{3});
            dying.crash();
        }
        session_scene last{{}, world};
        last.reopen();
        EXPECT_EQ(last.stored_texts().size(), 4U);
        last.scene.store.lost_answers = lost;
        last.service.start_runner();
        last.scene.loop.advance(seconds{5});
        EXPECT_EQ(last.session().status, session_status::quarantined);
        EXPECT_EQ(last.service.counted().quarantined, 1U);
        EXPECT_EQ(last.stored_texts().size(), 5U);
        EXPECT_EQ(last.told_texts(run), last.stored_texts());
        const room_event kept = last.scene.timeline().back();
        EXPECT_EQ(readable_text(kept.content), "Life 4");
        EXPECT_EQ(find_text(kept.metadata.str(), "finish_reason"), "interrupted");
        EXPECT_EQ(last.frame_types(run).back(), "RUN_ERROR");
    }
}

// A turn that a newer release queued is left to a newer worker, and so is a run that one left behind; nothing of either is
// ended, counted or written meanwhile.
// Proves: N2, N3
TEST(SessionService, LeavesNewerFormatsToNewerWorkers) {
    auto world = std::make_shared<shared_world>();
    run_id run;
    {
        session_scene dying{{model_script{}.say("Well, ").hang()}, world, {}, {}, 2};
        dying.open();
        run = dying.start(session_scene::says("Is it?")).value().id;
        dying.scene.loop.advance(seconds{1});
        dying.crash();
    }
    {
        session_scene old{{model_script{}.say("not asked")}, world, {}, {}, 1};
        old.reopen();
        old.service.start_runner();
        old.scene.loop.advance(seconds{60});
        EXPECT_EQ(old.start(session_scene::says("And now?", "2")).error(), errc::unavailable);
        EXPECT_EQ(old.look(run).status, run_status::running);
        EXPECT_EQ(old.scene.ask(ops::list_turns{{}, room_id{"r"}, {}, 10}).size(), 1U);
        EXPECT_TRUE(old.model->requests.empty());
        old.crash();
    }
    session_scene next{{model_script{}.say("Done.")}, world, {}, {}, 2};
    next.reopen();
    next.service.start_runner();
    EXPECT_EQ(next.finish(run).status, run_status::finished);
    EXPECT_EQ(next.told_texts(run), next.stored_texts());
}

// What became of runs, how long they took, and how long it was until something was shown.
// Proves: O2
TEST(SessionService, CountsRuns) {
    session_scene worker{
        {model_script{}.wait(seconds{2}).say("Yes."), model_script{}.fail(errc::answer_cut_off)}
    };
    worker.open();
    (void)worker.run(session_scene::says("Is it?", "1"));
    (void)worker.run(session_scene::says("Is it?", "2"));
    const session_service::tally& counted = worker.service.counted();
    EXPECT_EQ(counted.started, 2U);
    EXPECT_EQ(counted.ended.at(run_status::finished), 1U);
    EXPECT_EQ(counted.ended.at(run_status::failed), 1U);
    EXPECT_EQ(counted.run_time.count, 2U);
    EXPECT_GE(counted.run_time.sum, seconds{2});
    // The first frame is that of the start, which does not wait for the model.
    EXPECT_EQ(counted.until_first_frame.count, 2U);
    EXPECT_GE(counted.until_first_frame.sum, milliseconds{40});
    EXPECT_LT(counted.until_first_frame.sum, seconds{1});
    EXPECT_GE(worker.streams.counted().frames, 7U);
}

// A provider that fails is the run's failure: one terminal event with a code, and what was said before it is kept.
// Proves: A3, A5, A8
TEST(SessionService, TellsThatAModelFailed) {
    session_scene worker{{model_script{}.say("I thi").fail(errc::answer_cut_off)}};
    worker.open();
    const agent_run_record run = worker.run(session_scene::says("Well?"));
    EXPECT_EQ(run.status, run_status::failed);
    EXPECT_EQ(run.error_code, "ANSWER_CUT_OFF");
    EXPECT_EQ(worker.frame_types(run.id).back(), "RUN_ERROR");
    EXPECT_EQ(texts_in(worker), (std::vector<std::string>{"Well?", "I thi"}));
    EXPECT_EQ(worker.told_texts(run.id), worker.stored_texts());
    EXPECT_EQ(worker.session().status, session_status::failed);
}

// Many runs that stream at once cost the store the transactions of one.
// Proves: A7
TEST(RunLog, StoresTheFramesOfAllRunsTogether) {
    kit_scene scene;
    run_feeds feeds{scene.loop, scene.store};
    run_log log{scene.loop, scene.store, feeds, nullptr};
    std::vector<std::shared_ptr<run_stream>> streams;
    for (int i = 0; i < 500; ++i) {
        agent_run_record run;
        run.id = run_id{"run-" + std::to_string(i)};
        streams.push_back(log.open(run, {}));
    }
    for (int moment = 0; moment < 100; ++moment) {
        for (const auto& stream : streams) {
            const auto said = scene.loop.run(stream->say(run_events::text{"m", "a"}));
            static_cast<void>(said);
        }
        scene.loop.advance(milliseconds{10});
    }
    // A second of 500 streams.
    EXPECT_LE(log.counted().flushes, 26U);
    scene.loop.run(log.stop());
}

// Readers of a run get each frame once and in order, from wherever they begin, while it is made and after.
// Proves: A7
TEST(RunFeeds, GiveEveryFrameOnceFromAnyPlace) {
    session_scene worker{{model_script{}
                              .say("One ")
                              .wait(milliseconds{100})
                              .say("two ")
                              .wait(milliseconds{100})
                              .say("three.")}};
    worker.open();
    const auto started = worker.start(session_scene::says("Count."));
    ASSERT_TRUE(started);
    std::vector<std::vector<std::int64_t>> seen(4);
    std::vector<std::unique_ptr<run_reader>> readers;
    for (std::int64_t after = -1; after < 3; ++after) {
        auto opened = worker.scene.loop.run(worker.feeds.open({}, started->id, after));
        ASSERT_TRUE(opened);
        readers.push_back(*std::move(opened));
    }
    for (std::size_t i = 0; i < readers.size(); ++i) {
        for (int page = 0; page < 50; ++page) {
            const deadline soon{worker.scene.loop.now() + milliseconds{50}};
            const auto read = worker.scene.loop.run(readers[i]->next(soon));
            ASSERT_TRUE(read);
            for (const run_frame& frame : read->frames) {
                seen[i].push_back(frame.number);
            }
            if (read->is_whole) {
                break;
            }
        }
    }
    const auto last = worker.look(started->id).next_frame;
    for (std::size_t i = 0; i < readers.size(); ++i) {
        std::vector<std::int64_t> all;
        for (auto number = static_cast<std::int64_t>(i); number < last; ++number) {
            all.push_back(number);
        }
        EXPECT_EQ(seen[i], all) << "from " << i;
    }
    readers.clear();
    EXPECT_EQ(worker.feeds.readers(), 0U);
}

}  // namespace
}  // namespace convene
