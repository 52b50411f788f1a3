// SPDX-License-Identifier: Apache-2.0
// What sessions do when answers of the store are lost, workers die one after the other, or one goes away at the wrong time.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/scripted_tool.hpp"
#include "support/session_scene.hpp"

namespace convene {
namespace {

session_turn turn_that_says(std::string text) {
    session_turn turn;
    turn.id = turn_id{"turn"};
    turn.room = room_id{"r"};
    turn.kind = turn_kind::kickoff;
    turn.input = write_turn_order(session_scene::says(std::move(text)));
    return turn;
}

/// By both clocks, a second at a time.
void let_time_pass(session_scene& in, int seconds_of_it) {
    for (int i = 0; i < seconds_of_it; ++i) {
        in.scene.world->clock.advance(seconds{1});
        in.scene.loop.advance(seconds{1});
    }
}

awaitable<void> start_into(
    session_service* service, turn_order order, std::optional<result<agent_run_record>>* into
) {
    auto starting = service->start({}, room_id{"r"}, std::move(order), "ann", run_starter::leaves);
    auto started = co_await std::move(starting);
    into->emplace(std::move(started));
}

// The store begins a run, and its answer is lost: nobody drives it, and its worker lives. The turn is given back, its attempt
// does not count, and it is run.
// Proves: N3, N4
TEST(SessionRecovery, ATurnWhoseBeginningWasNotAnswered) {
    session_scene worker{{model_script{}.say("Started.")}};
    worker.open();
    (void)worker.scene.ask(ops::queue_turn{turn_that_says("Start.")});
    worker.scene.store.lost_answers = 1;
    worker.service.start_runner();
    worker.scene.loop.advance(seconds{3});
    const auto turns = worker.scene.ask(ops::list_turns{{}, room_id{"r"}, {}, 10});
    ASSERT_EQ(turns.size(), 1U);
    EXPECT_EQ(turns[0].status, turn_status::done);
    EXPECT_EQ(turns[0].attempts, 1);
    EXPECT_EQ(worker.session().status, session_status::idle);
    EXPECT_EQ(worker.told_texts(turns[0].run), worker.stored_texts());
}

// A run is interrupted by another one whose driver dies before it could end the first one's stream: whoever comes next does.
// Proves: A5, A7, N3
TEST(SessionRecovery, StreamsWhoseCloserDied) {
    auto world = std::make_shared<shared_world>();
    run_id first;
    run_id second;
    {
        session_scene dying{{model_script{}.say("I will").hang()}, world};
        dying.open();
        const auto started = dying.start(session_scene::says("One.", "1"));
        ASSERT_TRUE(started);
        first = started->id;
        dying.scene.loop.advance(milliseconds{100});
        dying.crash();
    }
    {
        // It begins, and comes to nothing else.
        session_scene dying{{model_script{}.hang()}, world};
        dying.reopen();
        session_turn turn = turn_that_says("Two.");
        turn.input = write_turn_order(session_scene::says("Two.", "2"));
        (void)dying.scene.ask(ops::queue_turn{turn});
        ops::begin_run begun;
        begun.run.id = run_id{"second"};
        begun.run.room = turn.room;
        begun.run.worker = dying.scene.kit->incarnation();
        begun.run.turn = turn.id;
        second = dying.scene.ask(begun).run.id;
        dying.crash();
    }
    session_scene next{{model_script{}.say("Done.")}, world};
    next.reopen();
    ASSERT_EQ(next.look(first).status, run_status::interrupted);
    ASSERT_FALSE(next.look(first).is_stream_over);
    next.service.start_runner();
    EXPECT_EQ(next.finish(second).status, run_status::finished);
    EXPECT_TRUE(next.look(first).is_stream_over);
    // What it had shown is stored as its own: nobody else has said it.
    const std::vector<room_event> said = next.scene.timeline();
    const auto cut_off = std::ranges::find(said, "I will", [](const room_event& event) {
        return readable_text(event.content);
    });
    ASSERT_NE(cut_off, said.end());
    EXPECT_EQ(cut_off->correlation_id, first.str());
    EXPECT_EQ(next.frame_types(first).back(), "RUN_ERROR");
    EXPECT_EQ(next.frame_types(second).front(), "RUN_STARTED");
}

// A call without a word before it is shown before it is made: whoever takes over sees that it may have been made.
// Proves: A9
TEST(SessionRecovery, CallsAreShownBeforeTheyAreMade) {
    std::vector<std::string> shown;
    session_scene* scene = nullptr;
    const auto look = std::make_shared<scripted_tool>(
        "look",
        R"({"type":"object"})",
        [&](json_text) -> awaitable<result<tool_output>> {
            shown = scene->frame_types(scene->session().run);
            return scripted_tool::say("nothing");
        }
    );
    toolbox tools;
    ASSERT_TRUE(tools.add(look));
    session_scene worker{
        {model_script{}.call("c1", "look"), model_script{}.say("Nothing.")},
        std::make_shared<shared_world>(),
        {},
        tools
    };
    scene = &worker;
    worker.open();
    (void)worker.run(session_scene::says("What is there?"));
    EXPECT_EQ(std::ranges::count(shown, "TOOL_CALL_START"), 1);
}

// Who waits for a session that is handed over does not begin a run on a worker that goes away.
// Proves: N4, O3
TEST(SessionRecovery, StartsThatWaitWhileTheirWorkerStops) {
    auto world = std::make_shared<shared_world>();
    run_id run;
    {
        session_scene leaving{{model_script{}.say("I will").hang()}, world};
        leaving.open();
        const auto started = leaving.start(session_scene::says("One.", "1"));
        ASSERT_TRUE(started);
        run = started->id;
        std::optional<result<agent_run_record>> waiting;
        task_scope requests{leaving.scene.loop};
        requests.spawn(
            "start", start_into(&leaving.service, session_scene::says("Two.", "2"), &waiting)
        );
        leaving.scene.loop.advance(milliseconds{200});
        leaving.stop();
        leaving.scene.loop.run(requests.join());
        ASSERT_TRUE(waiting);
        EXPECT_EQ(waiting->error(), errc::unavailable);
        EXPECT_EQ(leaving.session().run, run);
        EXPECT_EQ(leaving.service.counted().handed_over, 1U);
    }
    session_scene next{{model_script{}.say("Done.")}, world};
    next.reopen();
    next.service.start_runner();
    EXPECT_EQ(next.finish(run).status, run_status::finished);
}

// Its clock is an hour ahead of the store's: a turn whose time has not come does not make it ask without a pause.
// Proves: N5
TEST(SessionRecovery, AClockThatIsAheadDoesNotAskWithoutAPause) {
    session_scene worker{{model_script{}.say("Started.")}};
    worker.open();
    manual_wall_clock ahead;
    ahead.advance(std::chrono::hours{1});
    session_parts parts;
    parts.where = &worker.scene.loop;
    parts.kit = worker.scene.kit.get();
    parts.locks = worker.scene.locks.get();
    parts.streams = &worker.streams;
    parts.clock = &ahead;
    parts.random = &system_random();
    session_service wrong{parts, {}};
    session_turn later = turn_that_says("Later.");
    later.not_before = worker.scene.world->clock.now() + std::chrono::minutes{1};
    (void)worker.scene.ask(ops::queue_turn{later});
    wrong.start_runner();
    worker.scene.loop.advance(seconds{1});
    EXPECT_LE(worker.scene.store.counts["next_turn_at"], 100);
    worker.scene.loop.run(wrong.stop());
}

// Whoever came after a run that was cut off never got as far as closing it, and is set aside: both streams have their end then,
// and what was shown first stands in the room first.
// Proves: A7, N4
TEST(SessionRecovery, EndsTheStreamsOfAllThatWasCutOffBeforeAQuarantine) {
    auto world = std::make_shared<shared_world>();
    run_id first;
    {
        session_scene dying{{model_script{}.say("Once.").hang()}, world};
        dying.open();
        first = dying.start(session_scene::says("Go.")).value().id;
        dying.scene.loop.advance(seconds{3});
        dying.crash();
    }
    run_id second;
    for (int life = 0; life < 5; ++life) {
        session_scene next{{model_script{}.say("Twice.")}, world};
        next.reopen();
        next.scene.store.refused = "close_stream";
        if (life == 0) {
            second = next.start(session_scene::says("Again.")).value().id;
        } else {
            next.service.start_runner();
        }
        let_time_pass(next, 3);
        // Neither the turn nor its setting aside is tried again without a pause.
        EXPECT_LE(next.scene.store.counts["begin_run"], 20);
        EXPECT_LE(next.scene.store.counts["close_stream"], 20);
        next.crash();
    }
    session_scene last{{}, world};
    last.reopen();
    EXPECT_FALSE(last.look(first).is_stream_over);
    last.service.start_runner();
    let_time_pass(last, 5);
    EXPECT_EQ(last.session().status, session_status::quarantined);
    for (const run_id& run : {first, second}) {
        EXPECT_TRUE(last.look(run).is_stream_over);
        EXPECT_EQ(last.frame_types(run).back(), "RUN_ERROR");
    }
    EXPECT_EQ(last.stored_texts(), last.told_texts(first));
}

// A turn that the store lets nobody begin is tried again, and not without a pause; when it does, the turn is run.
// Proves: N2, N3
TEST(SessionRecovery, ABeginningThatIsRefusedIsTriedAfterAPause) {
    session_scene worker{{model_script{}.say("Started.")}};
    worker.open();
    worker.scene.store.refused = "begin_run";
    (void)worker.scene.ask(ops::queue_turn{turn_that_says("Start.")});
    worker.service.start_runner();
    let_time_pass(worker, 5);
    EXPECT_GE(worker.scene.store.counts["begin_run"], 3);
    EXPECT_LE(worker.scene.store.counts["begin_run"], 20);
    worker.scene.store.refused.clear();
    let_time_pass(worker, 2);
    EXPECT_EQ(readable_text(worker.scene.timeline().back().content), "Started.");
}

}  // namespace
}  // namespace convene
