// SPDX-License-Identifier: Apache-2.0
// The room's tools in sessions: what a call leaves is stored with the call, once, whoever stores it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/operations/people.hpp"
#include "support/session_scene.hpp"

namespace convene {
namespace {

/// With which every session's agent can ask people.
constexpr std::size_t asking_tools_offered = 2;

constexpr const char* task = R"({"title":"Call back"})";

std::vector<model_script> adds_a_task() {
    return {
        model_script{}.say("I note it.").call("c1", "add_task", task), model_script{}.say("Done.")
    };
}

std::size_t tasks_in(session_scene& in) {
    return in.scene.ask(ops::list_tasks{{}, room_id{"r"}, {}}).size();
}

std::size_t completed_calls_in(session_scene& in) {
    std::size_t completed = 0;
    for (const room_event& event : in.scene.timeline()) {
        completed += event.content.tool_status() == tool_call_status::completed ? 1 : 0;
    }
    return completed;
}

// The tools that an agent is registered with are its tools in a session too, and what they leave is the room's.
// Proves: A9
TEST(SessionTools, OfTheRoomLeaveTheirNotes) {
    session_scene worker{adds_a_task()};
    worker.room_tools = {room_tool::read_messages, room_tool::add_task, room_tool::observe};
    worker.open();
    const agent_run_record run = worker.run(session_scene::says("Note it."));
    EXPECT_EQ(run.status, run_status::finished);
    ASSERT_EQ(worker.model->requests.size(), 2U);
    EXPECT_EQ(worker.model->requests[0].tools.size(), 3U + asking_tools_offered);
    EXPECT_EQ(worker.model->requests[1].messages.back().text, "Added.");
    const auto tasks = worker.scene.ask(ops::list_tasks{{}, room_id{"r"}, {}});
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].title, "Call back");
    EXPECT_EQ(completed_calls_in(worker), 1U);
}

// A worker is killed at any moment of a turn with a call: the task is there if the room says that the call was made, and
// never twice.
// Proves: A9, N3
TEST(SessionTools, LeaveTheirNotesOnceWhoeverDies) {
    std::size_t made = 0;
    for (int life = 0; life <= 200; life += 5) {
        SCOPED_TRACE("killed after " + std::to_string(life) + " ms");
        auto world = std::make_shared<shared_world>();
        run_id run;
        {
            session_scene dying{adds_a_task(), world};
            dying.room_tools = {room_tool::add_task};
            dying.open();
            const auto started = dying.start(session_scene::says("Note it."));
            ASSERT_TRUE(started);
            run = started->id;
            dying.scene.loop.advance(milliseconds{life});
            dying.crash();
        }
        session_scene next{{model_script{}.say("Done.")}, world};
        next.room_tools = {room_tool::add_task};
        next.reopen();
        next.service.start_runner();
        EXPECT_EQ(next.finish(run).status, run_status::finished);
        EXPECT_EQ(tasks_in(next), completed_calls_in(next));
        EXPECT_LE(tasks_in(next), 1U);
        made += tasks_in(next);
    }
    EXPECT_GT(made, 0U);
}

// A client that declares a tool by a name that the agent has is not asked for its result.
// Proves: A5
TEST(SessionTools, KeepTheirNames) {
    session_scene worker{adds_a_task()};
    worker.room_tools = {room_tool::add_task};
    worker.open();
    turn_order order = session_scene::says("Note it.");
    order.said.tools.push_back({"add_task", "Another", json_text::trusted(R"({"type":"object"})")});
    const agent_run_record run = worker.run(order);
    EXPECT_EQ(run.status, run_status::finished);
    EXPECT_EQ(worker.session().status, session_status::idle);
    EXPECT_EQ(worker.model->requests[0].tools.size(), 1U + asking_tools_offered);
    EXPECT_EQ(tasks_in(worker), 1U);
}

}  // namespace
}  // namespace convene
