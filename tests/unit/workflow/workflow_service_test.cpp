// SPDX-License-Identifier: Apache-2.0
// Workflows that are designed and executed by an agent that plays a script.
#include "workflow/workflow_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/workflow/workflow_scene.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string start_a = R"({"key":"a"})";
const std::string complete_a = R"({"key":"a","result":"A is done"})";
const std::string start_b = R"({"key":"b"})";
const std::string complete_b = R"({"key":"b","result":"B is done"})";

std::vector<model_script> works_through_both() {
    return {
        calls("start_task", start_a),
        calls("complete_task", complete_a),
        calls("start_task", start_b),
        calls("complete_task", complete_b),
        model_script{}.say("All is done."),
    };
}

// An execution is worked through from its kickoff to its end without anybody's request; its agent knows what it is for, and
// its session is left alone behind the end.
// Proves: W1, W3, N1
TEST(WorkflowService, ExecutesWhatWasPublished) {
    workflow_scene scene{works_through_both()};
    scene.open();
    const workflow made = scene.publish(
        {workflow_scene::task("a"), workflow_scene::task("b", {"a"})}
    );
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution) << execution.error().message();
    EXPECT_EQ(execution->version, 1);
    scene.settle(execution->room);

    const auto ended = scene.look(execution->room);
    EXPECT_EQ(ended.execution.status, execution_status::completed);
    EXPECT_EQ(ended.tasks[0].result, "A is done");
    EXPECT_EQ(ended.tasks[1].result, "B is done");
    EXPECT_THAT(scene.notices(), ElementsAre("Returns: completed"));
    const model_request& asked = scene.worker.model->requests.front();
    EXPECT_THAT(asked.system, HasSubstr("What comes back is checked."));
    EXPECT_THAT(asked.system, HasSubstr(R"("key":"b")"));
    ASSERT_THAT(asked.messages, SizeIs(1));
    EXPECT_THAT(asked.messages[0].text, HasSubstr("Work through the tasks"));
    EXPECT_THAT(scene.told_results()[0], HasSubstr("How to do a"));
    EXPECT_THAT(scene.told_results()[3], HasSubstr("the execution is completed"));

    const std::size_t asked_before = scene.worker.model->requests.size();
    const auto more = scene.worker.scene.loop.run(scene.worker.service.start(
        {}, execution->room, session_scene::says("And now?"), "ann", run_starter::leaves
    ));
    EXPECT_EQ(more.error(), errc::execution_ended);
    EXPECT_EQ(scene.worker.model->requests.size(), asked_before);
}

// A version is what it was when it was published, whatever becomes of the draft.
// Proves: W1
TEST(WorkflowService, ExecutesTheVersionNotTheDraft) {
    workflow_scene scene{{model_script{}.say("Hm.")}};
    scene.open();
    const workflow made = scene.publish({workflow_scene::task("a")});
    const auto changed = scene.worker.scene.loop.run(scene.service.change(
        made.id,
        [](workflow& draft) { draft.tasks.push_back(workflow_scene::task("b")); },
        std::nullopt,
        audit_entry{}
    ));
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->status, workflow_status::modified);
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution);
    EXPECT_THAT(scene.states(execution->room), ElementsAre("pending"));
}

// Nothing is started that can't be worked on.
// Proves: W1, K1
TEST(WorkflowService, StartsNothingInVain) {
    workflow_scene scene{{model_script{}.say("Hm.")}};
    scene.open();
    const auto empty = scene.create({});
    ASSERT_TRUE(empty);
    EXPECT_EQ(scene.execute(empty->id).error(), errc::not_found);
    EXPECT_EQ(scene.execute(empty->id, "", executed_form::draft).error(), errc::invalid_argument);
    EXPECT_EQ(scene.execute(workflow_id{"nobody"}).error(), errc::not_found);

    const workflow skilled = scene.publish({workflow_scene::task("a")});
    const auto pinned = scene.worker.scene.loop.run(scene.service.change(
        skilled.id,
        [](workflow& draft) {
            draft.skill = "returns";
            draft.skill_commit = "c0ffee";
        },
        std::nullopt,
        audit_entry{}
    ));
    ASSERT_TRUE(pinned);
    EXPECT_EQ(scene.execute(skilled.id, "", executed_form::draft).error(), errc::skill_not_ready);
    EXPECT_THAT(scene.worker.scene.ask(ops::list_executions{}), IsEmpty());
    scene.skills.known["returns@c0ffee"] = {
        "c0ffee", "Look at the receipt first.", {"receipts.md"}
    };
    const auto execution = scene.execute(skilled.id, "", executed_form::draft);
    ASSERT_TRUE(execution);
    scene.settle(execution->room);
    const std::string& told = scene.worker.model->requests.back().system;
    EXPECT_THAT(told, HasSubstr("Look at the receipt first."));
    EXPECT_THAT(told, HasSubstr("receipts.md"));
    EXPECT_EQ(execution->skill_commit, "c0ffee");
}

// An agent reads the files of the revision that is pinned, and nothing else.
// Proves: K2
TEST(WorkflowService, ReadsFilesOfTheSkill) {
    workflow_scene scene{
        {calls("read_skill_file", R"({"path":"receipts.md"})"),
         calls("read_skill_file", R"({"path":"../secret"})"),
         calls("read_skill_file", R"({"path":"seal.png"})"),
         model_script{}.say("I know.")}
    };
    scene.skills.known["returns@"] = {"c0ffee", "See receipts.md.", {"receipts.md", "seal.png"}};
    scene.skills.known["returns@c0ffee"] = scene.skills.known["returns@"];
    scene.skills.contents = {
        {"returns@c0ffee/receipts.md", "The date counts."},
        {"returns@c0ffee/../secret", "Not for agents."},
        {"returns@c0ffee/seal.png", std::string("PNG\0", 4)}
    };
    scene.open();
    const workflow skilled = scene.publish({workflow_scene::task("a")});
    const auto pinned = scene.worker.scene.loop.run(scene.service.change(
        skilled.id, [](workflow& draft) { draft.skill = "returns"; }, std::nullopt, audit_entry{}
    ));
    ASSERT_TRUE(pinned);
    const auto execution = scene.execute(skilled.id, "", executed_form::draft);
    ASSERT_TRUE(execution);
    scene.settle(execution->room);
    EXPECT_THAT(
        scene.told_results(),
        ElementsAre(
            "The date counts.", "The skill has no file of this name.", "The file is no text."
        )
    );
}

// Asked for with the same key it is the same execution, with one first turn.
// Proves: W1, R8
TEST(WorkflowService, StartsOnceForAKey) {
    workflow_scene scene{{model_script{}.say("Hm.")}};
    scene.open();
    const workflow made = scene.publish({workflow_scene::task("a")});
    const auto first = scene.execute(made.id, "key");
    const auto again = scene.execute(made.id, "key");
    const auto other = scene.execute(made.id, "other");
    ASSERT_TRUE(first && again && other);
    EXPECT_EQ(*first, *again);
    EXPECT_NE(first->room, other->room);
    EXPECT_THAT(scene.worker.scene.ask(ops::list_turns{{}, first->room, {}, 10}), SizeIs(1));
}

// A tool is called for a task in progress that has it. Other calls do nothing, whatever the model says; each is on record.
// Proves: W2
TEST(WorkflowService, CallsToolsForTheirTaskAlone) {
    const auto look = scripted_tool::saying("look", "seen");
    workflow_scene scene{
        {
            calls("look", R"({"at":"it"})"),
            calls("start_task", start_a),
            calls("look"),
            calls("complete_task", complete_a),
            calls("start_task", start_b),
            calls("look", R"({"at":"it"})"),
            calls("complete_task", complete_b),
            calls("look"),
            model_script{}.say("Done."),
        },
        {look}
    };
    scene.open();
    const workflow made = scene.publish(
        {workflow_scene::task("a", {}, {"other"}), workflow_scene::task("b", {"a"}, {"look"})}
    );
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution);
    scene.settle(execution->room);
    EXPECT_THAT(look->got, ElementsAre(R"({"at":"it"})"));
    EXPECT_THAT(
        scene.decisions(execution->room),
        ElementsAre(
            "look denied no_task_in_progress",
            "look denied not_bound",
            "look allowed b",
            "look denied no_task_in_progress"
        )
    );
    const std::vector<std::string> told = scene.told_results();
    EXPECT_THAT(told[0], HasSubstr("no task is in progress"));
    EXPECT_THAT(told[2], HasSubstr("no task in progress has this tool"));
    EXPECT_EQ(told[5], "seen");
    const auto noted = scene.worker.scene.ask(ops::list_invocations{{}, execution->room});
    EXPECT_EQ(noted.front().arguments_digest.size(), 64U);
    EXPECT_NE(noted[0].arguments_digest, noted[1].arguments_digest);
    EXPECT_EQ(noted[1].arguments_digest, noted[3].arguments_digest);
}

// An execution of a draft calls nothing: tools answer what the templates say, those that have nothing to say say so.
// Proves: W1, W2
TEST(WorkflowService, TriesADraftWithoutItsTools) {
    const auto look = scripted_tool::saying("look", "really seen");
    const auto pay = scripted_tool::saying("pay", "really paid");
    workflow_scene scene{
        {
            calls("start_task", start_a),
            calls("look"),
            calls("pay"),
            calls("complete_task", complete_a),
            model_script{}.say("Done."),
        },
        {look, pay}
    };
    scene.open();
    const auto made = scene.create(
        {workflow_scene::task("a", {}, {"look", "pay"}, R"({"look":{"seen":1.50}})")}
    );
    ASSERT_TRUE(made);
    const auto execution = scene.execute(made->id, "", executed_form::draft);
    ASSERT_TRUE(execution);
    scene.settle(execution->room);
    EXPECT_TRUE(execution->is_draft());
    EXPECT_EQ(scene.look(execution->room).execution.status, execution_status::completed);
    EXPECT_THAT(look->got, IsEmpty());
    EXPECT_THAT(pay->got, IsEmpty());
    EXPECT_EQ(scene.told_results()[1], R"({"seen":1.50})");
    EXPECT_THAT(scene.told_results()[2], HasSubstr("this is a draft"));
    EXPECT_THAT(scene.decisions(execution->room), ElementsAre("look mocked a", "pay mocked a"));
}

// The room's own tools are bound to tasks like any others, and a draft plays them.
// Proves: W1, W2
TEST(WorkflowService, BindsTheToolsOfTheRoom) {
    const std::string seen = R"({"text":"It is late.","category":"time"})";
    workflow_scene scene{{
        calls("observe", seen),
        calls("start_task", start_a),
        calls("observe", seen),
        calls("complete_task", complete_a),
        model_script{}.say("Done."),
    }};
    scene.worker.room_tools = {room_tool::observe};
    scene.open();
    const workflow made = scene.publish({workflow_scene::task("a", {}, {"observe"})});
    const auto real = scene.execute(made.id);
    ASSERT_TRUE(real);
    scene.settle(real->room);
    EXPECT_THAT(
        scene.decisions(real->room),
        ElementsAre("observe denied no_task_in_progress", "observe allowed a")
    );
    EXPECT_THAT(scene.worker.scene.ask(ops::list_observations{{}, real->room}), SizeIs(1));
}

// Proves: W1, W2
TEST(WorkflowService, PlaysTheToolsOfTheRoomInADraft) {
    workflow_scene scene{{
        calls("start_task", start_a),
        calls("observe", R"({"text":"It is late.","category":"time"})"),
        calls("complete_task", complete_a),
        model_script{}.say("Done."),
    }};
    scene.worker.room_tools = {room_tool::observe, room_tool::read_messages};
    scene.open();
    const auto made = scene.create(
        {workflow_scene::task("a", {}, {"observe"}, R"({"observe":"noted"})")}
    );
    ASSERT_TRUE(made);
    const auto trial = scene.execute(made->id, "", executed_form::draft);
    ASSERT_TRUE(trial);
    scene.settle(trial->room);
    EXPECT_EQ(scene.look(trial->room).execution.status, execution_status::completed);
    EXPECT_EQ(scene.told_results()[1], "noted");
    EXPECT_THAT(scene.decisions(trial->room), ElementsAre("observe mocked a"));
    EXPECT_THAT(scene.worker.scene.ask(ops::list_observations{{}, trial->room}), IsEmpty());
}

// A task that fails takes those behind it along, and the execution has failed.
// Proves: W1, W3
TEST(WorkflowService, FailsWithItsTasks) {
    workflow_scene scene{{
        calls("complete_task", complete_a),
        calls("start_task", start_b),
        calls("start_task", start_a),
        calls("fail_task", R"({"key":"a","kind":"api_error","message":"the shop is closed"})"),
        model_script{}.say("I give up."),
    }};
    scene.open();
    const workflow made = scene.publish(
        {workflow_scene::task("a"),
         workflow_scene::task("b", {"a"}),
         workflow_scene::task("c", {"b"})}
    );
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution);
    scene.settle(execution->room);
    EXPECT_THAT(scene.states(execution->room), ElementsAre("failed", "skipped", "skipped"));
    EXPECT_EQ(scene.look(execution->room).tasks[0].error_kind, task_error_kind::api_error);
    EXPECT_THAT(scene.notices(), ElementsAre("Returns: failed"));
    EXPECT_THAT(scene.told_results()[0], HasSubstr("was not started"));
    EXPECT_THAT(scene.told_results()[1], HasSubstr("waits for `a`"));
}

// Cancelled in the middle: the run ends, what is open is skipped, and nobody goes on with it.
// Proves: W1, A3
TEST(WorkflowService, CancelsAnExecution) {
    workflow_scene scene{{calls("start_task", start_a), model_script{}.say("Well").hang()}};
    scene.open();
    const workflow made = scene.publish({workflow_scene::task("a"), workflow_scene::task("b")});
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution);
    scene.worker.scene.loop.advance(seconds{1});
    EXPECT_THAT(scene.states(execution->room), ElementsAre("in_progress", "pending"));
    const auto cancelled = scene.worker.scene.loop.run(
        scene.service.cancel(execution->room, audit_entry{})
    );
    ASSERT_TRUE(cancelled);
    scene.settle(execution->room);
    EXPECT_EQ(scene.look(execution->room).execution.status, execution_status::cancelled);
    EXPECT_THAT(scene.states(execution->room), ElementsAre("skipped", "skipped"));
    EXPECT_EQ(scene.worker.look(scene.session(execution->room).run).status, run_status::cancelled);
    EXPECT_EQ(scene.worker.model->requests.size(), 2U);
}

// kill -9 at any time: another worker goes on, each task is done once, and the end is told once.
// Proves: W1, W3, N3
TEST(WorkflowService, GoesOnWhenItsWorkerDies) {
    for (int life = 0; life <= 600; life += 40) {
        SCOPED_TRACE("killed after " + std::to_string(life) + " ms");
        auto world = std::make_shared<shared_world>();
        room_id room;
        {
            std::vector<model_script> slow;
            for (const auto& [tool, arguments] : std::vector<std::pair<std::string, std::string>>{
                     {"start_task", start_a},
                     {"complete_task", complete_a},
                     {"start_task", start_b},
                     {"complete_task", complete_b},
                 }) {
                slow.push_back(model_script{}.wait(milliseconds{100}).call("c", tool, arguments));
            }
            slow.push_back(model_script{}.say("All is done.").hang());
            workflow_scene dying{slow, {}, world};
            dying.open();
            const workflow made = dying.publish(
                {workflow_scene::task("a"), workflow_scene::task("b", {"a"})}
            );
            const auto execution = dying.execute(made.id);
            ASSERT_TRUE(execution);
            room = execution->room;
            dying.worker.scene.loop.advance(milliseconds{life});
            dying.worker.crash();
        }
        // It does not know how far the first one came, and does it all again.
        workflow_scene next{works_through_both(), {}, world};
        next.reopen();
        next.settle(room);
        const auto ended = next.look(room);
        EXPECT_EQ(ended.execution.status, execution_status::completed);
        EXPECT_EQ(ended.tasks[0].result, "A is done");
        EXPECT_EQ(ended.tasks[1].result, "B is done");
        EXPECT_THAT(next.notices(), ElementsAre("Returns: completed"));
    }
}

// What is wrong with a list of tasks is told to the model, which puts it right; then there is a draft, and who asked is
// told.
// Proves: W1, W3
TEST(WorkflowService, DesignsADraft) {
    workflow_scene scene{{
        calls("set_tasks", R"({"tasks":[{"key":"a","title":"A","depends_on":["a"]}]})"),
        calls(
            "set_tasks",
            R"({"tasks":[{"key":"a","title":"A"},{"key":"b","title":"B","depends_on":["a"],"tools":["mail"]}]})"
        ),
        calls("describe_workflow", R"({"description":"It checks what comes back."})"),
        calls("read_workflow"),
        model_script{}.say("There it is."),
    }};
    scene.open();
    const auto made = scene.create({}, "Check returns.");
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->status, workflow_status::generating);
    scene.settle(made->room);
    const workflow drafted = scene.look(made->id);
    EXPECT_EQ(drafted.status, workflow_status::draft);
    ASSERT_THAT(drafted.tasks, SizeIs(2));
    EXPECT_THAT(drafted.tasks[1].tools, ElementsAre("mail"));
    EXPECT_EQ(drafted.description, "It checks what comes back.");
    EXPECT_THAT(scene.notices(), ElementsAre("The draft is ready: Returns"));
    const std::vector<std::string> told = scene.told_results();
    EXPECT_THAT(told[0], HasSubstr("`a` on `a`"));
    EXPECT_THAT(told[1], HasSubstr("2 tasks"));
    EXPECT_THAT(told[3], HasSubstr("It checks what comes back."));
    EXPECT_EQ(scene.worker.model->requests.front().messages[0].text, "Check returns.");
}

// An agent that leaves no tasks has failed, and who asked is told.
// Proves: W1, W3
TEST(WorkflowService, SaysThatNothingWasDesigned) {
    workflow_scene scene{{model_script{}.say("I don't know how.")}};
    scene.open();
    const auto made = scene.create({}, "Do magic.");
    ASSERT_TRUE(made);
    scene.settle(made->room);
    EXPECT_EQ(scene.look(made->id).status, workflow_status::failed);
    EXPECT_EQ(scene.look(made->id).error, "no_tasks");
    EXPECT_THAT(scene.notices(), ElementsAre("The draft could not be made: Returns"));
}

// A change that was decided on another revision is refused.
// Proves: W1
TEST(WorkflowService, ChangesWhatWasRead) {
    workflow_scene scene{{model_script{}.say("Hm.")}};
    scene.open();
    const auto made = scene.create({workflow_scene::task("a")});
    ASSERT_TRUE(made);
    const auto rename = [&scene, &made](std::int64_t expected) {
        return scene.worker.scene.loop.run(scene.service.change(
            made->id, [](workflow& draft) { draft.name = "Other"; }, expected, audit_entry{}
        ));
    };
    EXPECT_TRUE(rename(1));
    EXPECT_EQ(rename(1).error(), errc::room_changed);
    EXPECT_TRUE(rename(2));
}

// With a workflow goes the room in which it was designed; its executions stay.
// Proves: W1
TEST(WorkflowService, RemovesAWorkflow) {
    workflow_scene scene{{model_script{}.say("Hm.")}};
    scene.open();
    const workflow made = scene.publish({workflow_scene::task("a")});
    const auto execution = scene.execute(made.id);
    ASSERT_TRUE(execution);
    ASSERT_TRUE(scene.worker.scene.loop.run(scene.service.remove(made.id, audit_entry{})));
    EXPECT_EQ(
        scene.worker.scene.loop.run(scene.worker.scene.kit->get_room({}, made.room)).error(),
        errc::not_found
    );
    EXPECT_EQ(scene.execute(made.id).error(), errc::not_found);
    EXPECT_EQ(scene.look(execution->room).execution.status, execution_status::running);
}

}  // namespace
}  // namespace convene
