// SPDX-License-Identifier: Apache-2.0
// Wakes: an agent says when it is to go on, and goes on then, on whichever worker there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/session/wake_tool.hpp"
#include "support/session_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;

constexpr const char* in_a_minute = R"({"in_seconds":60,"note":"Is the parcel there?"})";

std::vector<model_script> wakes_itself() {
    return {
        model_script{}.say("I look later.").call("c1", "wake_me", in_a_minute),
        model_script{}.say("See you."),
        model_script{}.say("It is there."),
    };
}

std::vector<session_turn> turns_in(session_scene& in, turn_status status) {
    ops::list_turns look;
    look.room = room_id{"r"};
    look.status = status;
    return in.scene.ask(look);
}

/// Both clocks go on: that of the loop, and that by which the store tells the time.
void pass(session_scene& in, seconds span) {
    in.scene.world->clock.advance(span);
    in.scene.loop.advance(span);
}

/// What the agent was asked last.
std::string last_words(const session_scene& in) {
    return in.model->requests.back().messages.back().text;
}

// It is not woken sooner, and has its note then; nobody has to be there.
// Proves: N1, A9
TEST(Wakes, ComeWhenTheAgentWantsThem) {
    session_scene worker{wakes_itself()};
    worker.room_tools = {room_tool::wake_me};
    worker.open();
    worker.service.start_runner();
    const agent_run_record run = worker.run(session_scene::says("Tell me when it comes."));
    EXPECT_EQ(run.status, run_status::finished);
    EXPECT_EQ(last_words(worker), "Scheduled.");
    EXPECT_EQ(worker.session().status, session_status::scheduled);
    pass(worker, seconds{59});
    EXPECT_EQ(worker.model->requests.size(), 2U);
    pass(worker, seconds{1});
    ASSERT_EQ(worker.model->requests.size(), 3U);
    EXPECT_THAT(last_words(worker), HasSubstr("Is the parcel there?"));
    EXPECT_EQ(worker.session().status, session_status::idle);
    const agent_run_record woken = worker.look(worker.session().run);
    EXPECT_EQ(woken.status, run_status::finished);
    EXPECT_EQ(woken.started_by, "ann");
    EXPECT_NE(woken.id, run.id);
}

// A worker is killed at any moment of a run that schedules: there is one wake at the most, and if the call is known to have
// been made, one.
// Proves: N1, N3, A9
TEST(Wakes, AreSetOnceWhoeverDies) {
    std::size_t set = 0;
    for (int life = 0; life <= 200; life += 5) {
        SCOPED_TRACE("killed after " + std::to_string(life) + " ms");
        auto world = std::make_shared<shared_world>();
        run_id run;
        {
            session_scene dying{wakes_itself(), world};
            dying.room_tools = {room_tool::wake_me};
            dying.open();
            const auto started = dying.start(session_scene::says("Tell me when it comes."));
            ASSERT_TRUE(started);
            run = started->id;
            dying.scene.loop.advance(milliseconds{life});
            dying.crash();
        }
        session_scene next{{model_script{}.say("Done.")}, world};
        next.room_tools = {room_tool::wake_me};
        next.reopen();
        next.service.start_runner();
        EXPECT_EQ(next.finish(run).status, run_status::finished);
        bool is_made = false;
        for (const room_event& event : next.scene.timeline()) {
            is_made = is_made || event.content.tool_status() == tool_call_status::completed;
        }
        const std::size_t waiting = turns_in(next, turn_status::queued).size();
        EXPECT_LE(waiting, 1U);
        EXPECT_TRUE(waiting == 1 || !is_made);
        set += waiting;
    }
    EXPECT_GT(set, 0U);
}

// A driver that has lost its session schedules nothing; the same call of the one that has it schedules once.
// Proves: N1, A4
TEST(Wakes, AreSetByTheDriverThatHasTheSession) {
    session_scene worker{{model_script{}.hang()}};
    worker.open();
    ASSERT_TRUE(worker.start(session_scene::says("Wait.")));
    wake_place place;
    place.kit = worker.scene.kit.get();
    place.room = room_id{"r"};
    place.epoch = worker.session().driver_epoch;
    tool_context context;
    context.call_key = "run:1:0";
    const auto call = [&] {
        return worker.scene.loop.run(
            make_wake_tool(place)->call(json_text::trusted(in_a_minute), context)
        );
    };
    EXPECT_EQ(call()->text, "Scheduled.");
    EXPECT_EQ(call()->text, "Scheduled.");
    EXPECT_EQ(turns_in(worker, turn_status::queued).size(), 1U);
    --place.epoch;
    context.call_key = "run:0:0";
    EXPECT_EQ(call().error(), errc::driver_fenced);
    EXPECT_EQ(turns_in(worker, turn_status::queued).size(), 1U);
}

// An agent that wakes itself again and again comes to an end, unless somebody says something.
// Proves: N1
TEST(Wakes, DoNotGoOnForEver) {
    for (const std::int32_t before : {0, most_wakes_in_a_row - 1, most_wakes_in_a_row}) {
        session_scene worker{wakes_itself()};
        worker.room_tools = {room_tool::wake_me};
        worker.open();
        turn_order order = session_scene::says("It is time.");
        order.wakes_in_a_row = before;
        EXPECT_EQ(worker.run(order).status, run_status::finished);
        const auto waiting = turns_in(worker, turn_status::queued);
        if (before == most_wakes_in_a_row) {
            EXPECT_TRUE(waiting.empty());
            EXPECT_THAT(last_words(worker), HasSubstr("Not scheduled"));
        } else {
            ASSERT_EQ(waiting.size(), 1U);
            EXPECT_EQ(read_turn_order(waiting[0].input)->wakes_in_a_row, before + 1);
        }
    }
}

// What people are asked stays asked: the wake waits for their decision.
// Proves: N1, A6
TEST(Wakes, WaitForDecisions) {
    session_scene worker{{
        model_script{}
            .call("c1", "wake_me", in_a_minute)
            .call("c2", "request_approval", R"({"title":"Order it?","tools":[]})"),
        model_script{}.say("It is ordered, and not there yet."),
    }};
    worker.room_tools = {room_tool::wake_me};
    worker.open();
    worker.service.start_runner();
    worker.run(session_scene::says("Order it, and tell me when it comes."));
    ASSERT_EQ(worker.open_approvals().size(), 1U);
    pass(worker, seconds{90});
    ASSERT_EQ(worker.open_approvals().size(), 1U);
    EXPECT_EQ(worker.model->requests.size(), 1U);
    ASSERT_TRUE(worker.decide(worker.open_approvals()[0].id));
    pass(worker, seconds{5});
    // One run tells of both.
    ASSERT_EQ(worker.model->requests.size(), 2U);
    EXPECT_THAT(last_words(worker), HasSubstr("Is the parcel there?"));
    EXPECT_EQ(worker.session().status, session_status::idle);
}

// What was said for later is taken back, and those who watch the session hear of both.
// Proves: N1
TEST(Wakes, AreTakenBack) {
    session_scene worker{{model_script{}.say("Not asked.")}};
    worker.open();
    worker.service.start_runner();
    session_turn turn;
    turn.room = room_id{"r"};
    turn.kind = turn_kind::wake;
    turn.input = write_turn_order(session_scene::says("Good morning."));
    const auto queued = worker.scene.loop.run(worker.service.queue(turn, seconds{60}));
    ASSERT_TRUE(queued);
    EXPECT_EQ(worker.session().status, session_status::scheduled);
    ASSERT_TRUE(worker.scene.loop.run(worker.service.cancel_wake({{}, queued->room, queued->id, {}})
    ));
    EXPECT_EQ(worker.session().status, session_status::idle);
    pass(worker, seconds{120});
    EXPECT_TRUE(worker.model->requests.empty());
}

}  // namespace
}  // namespace convene
