// SPDX-License-Identifier: Apache-2.0
// What every store promises about executions: started whole, changed by their driver alone, settled once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/workflows_fixture.hpp"

namespace convene {

namespace {

using status = execution_task_status;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Executions : public workflow_conformance {
   protected:
    [[nodiscard]] std::vector<status> states(const std::string& room) {
        std::vector<status> all;
        for (const execution_task& one : execution(room).tasks) {
            all.push_back(one.status);
        }
        return all;
    }
};

CONVENE_ON_EVERY_STORE(Executions);

// An execution is there with its room, its tasks, its session and the first turn, or not at all; asked for again it is the same.
// Proves: W1, N1, R8
TEST_P(Executions, StartWhole) {
    create("taken");
    EXPECT_EQ(error_of(execution_in("taken", {task("a")})), errc::already_exists);
    EXPECT_EQ(error_of(execution_in("e", {task("a", {"a"})})), errc::invalid_argument);
    EXPECT_EQ(error_of(ops::get_execution{acme(), room_id{"e"}}), errc::not_found);
    const workflow_execution made = must(execution_in("e", {task("a"), task("b", {"a"})}));
    EXPECT_EQ(made.status, execution_status::running);
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(status_of("e"), session_status::queued);
    EXPECT_THAT(due(), ElementsAre("e-turn"));
    EXPECT_EQ(must(execution_in("e", {task("other")})), made);
    ops::create_execution others = execution_in("e", {});
    others.execution.initiator = "bob";
    EXPECT_EQ(error_of(others), errc::already_exists);
    harness().restart();
    const auto found = execution("e");
    EXPECT_EQ(found.execution, made);
    ASSERT_THAT(found.tasks, SizeIs(2));
    EXPECT_EQ(found.tasks[1].what, task("b", {"a"}));
    EXPECT_EQ(found.tasks[1].status, status::pending);
    EXPECT_EQ(error_of(ops::get_execution{organization_id{"globex"}, made.room}), errc::not_found);
}

// A task changes as its rules say, at once with what follows from it.
// Proves: W1
TEST_P(Executions, ChangeTheirTasks) {
    const std::int64_t epoch = start("e", {task("a"), task("b", {"a"}), task("c", {"b"})});
    const auto refused = must(step("e", epoch, "b", status::in_progress));
    EXPECT_EQ(refused.verdict.refusal, "The task `b` waits for `a`.");
    clock().advance(1s);
    must(step("e", epoch, "a", status::in_progress));
    EXPECT_EQ(execution("e").tasks[0].started_at, clock().now());
    must(step("e", epoch, "a", status::completed));
    must(step("e", epoch, "b", status::in_progress));
    const auto failed = must(step("e", epoch, "b", status::failed));
    EXPECT_EQ(failed.execution.status, execution_status::failed);
    harness().restart();
    EXPECT_THAT(states("e"), ElementsAre(status::completed, status::failed, status::skipped));
    const auto found = execution("e");
    EXPECT_EQ(found.tasks, failed.tasks);
    EXPECT_EQ(found.execution.finished_at, clock().now());
    EXPECT_EQ(found.tasks[0].result, "a result");
    EXPECT_EQ(found.tasks[1].error_kind, task_error_kind::timeout);
    EXPECT_EQ(found.tasks[1].error, "an error");
}

// Whoever lost the session changes nothing of its execution any more.
// Proves: W1, L7
TEST_P(Executions, AreChangedByTheirDriverAlone) {
    const std::int64_t epoch = start("e", {task("a")});
    const std::int64_t next = begin("e", "another");
    EXPECT_EQ(error_of(step("e", epoch, "a", status::in_progress)), errc::driver_fenced);
    ops::note_invocation note;
    note.invocation.room = room_id{"e"};
    note.epoch = epoch;
    EXPECT_EQ(error_of(note), errc::driver_fenced);
    EXPECT_THAT(states("e"), ElementsAre(status::pending));
    must(step("e", next, "a", status::in_progress));
    open("plain");
    EXPECT_EQ(
        error_of(step("plain", begin("plain", "x"), "a", status::in_progress)), errc::not_found
    );
}

// It ends once: one time, one notification, and no turn of its session is run behind it.
// Proves: W1, W3, N1
TEST_P(Executions, SettleOnce) {
    const std::int64_t epoch = start("e", {task("a"), task("b")});
    queue("e", "later");
    must(step("e", epoch, "a", status::in_progress));
    must(step("e", epoch, "a", status::completed));
    must(step("e", epoch, "a", status::completed));
    EXPECT_THAT(notices_of("ann"), IsEmpty());
    clock().advance(1s);
    const wall_time ended = clock().now();
    EXPECT_EQ(
        must(step("e", epoch, "b", status::skipped)).execution.status, execution_status::completed
    );
    clock().advance(1s);
    EXPECT_EQ(error_of(step("e", epoch, "b", status::skipped)), errc::execution_ended);
    EXPECT_EQ(execution("e").execution.finished_at, ended);
    EXPECT_THAT(notices_of("ann"), ElementsAre("execution_completed: Returns of May: completed"));
    const auto told = must(ops::list_notifications{acme(), "ann"}).front().told;
    EXPECT_EQ(told.body, "1 of 2 tasks completed");
    EXPECT_EQ(told.link, "/api/v1/workflow-executions/e");

    EXPECT_EQ(turn("later").status, turn_status::done);
    EXPECT_EQ(turn("later").last_error, "execution_ended");
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("e", "more")}), errc::execution_ended);
    // The run that is under way says its last words.
    must(append("e", "goodbye", epoch, {}));
    must(end_of("e", "e-run", epoch));
    EXPECT_EQ(status_of("e"), session_status::idle);
    EXPECT_EQ(error_of(ops::retry_turn{acme(), turn_id{"later"}}), errc::room_changed);
    EXPECT_THAT(due(), IsEmpty());
}

// A turn that failed before the end is not tried again behind it.
// Proves: W1, N4
TEST_P(Executions, RetryNothingBehindTheirEnd) {
    const std::int64_t epoch = start("e", {task("a")});
    ops::end_run failed = end_of("e", "e-run", epoch);
    failed.status = run_status::failed;
    failed.then = session_status::failed;
    must(failed);
    must(ops::cancel_execution{acme(), room_id{"e"}});
    EXPECT_EQ(error_of(ops::retry_turn{acme(), turn_id{"e-turn"}}), errc::execution_ended);
}

// Cancelled, what is open is skipped, and the run is asked to end; said again it stays as it ended.
// Proves: W1, A3
TEST_P(Executions, AreCancelledOnce) {
    const std::int64_t epoch = start("e", {task("a"), task("b"), task("c")});
    queue("e", "later");
    must(step("e", epoch, "a", status::in_progress));
    must(step("e", epoch, "a", status::completed));
    must(step("e", epoch, "b", status::in_progress));
    EXPECT_EQ(
        error_of(ops::cancel_execution{organization_id{"globex"}, room_id{"e"}}), errc::not_found
    );
    const workflow_execution cancelled = must(ops::cancel_execution{acme(), room_id{"e"}});
    EXPECT_EQ(cancelled.status, execution_status::cancelled);
    EXPECT_EQ(cancelled.finished_at, clock().now());
    EXPECT_THAT(states("e"), ElementsAre(status::completed, status::skipped, status::skipped));
    EXPECT_EQ(execution("e").tasks[1].error, "cancelled");
    EXPECT_TRUE(run_record("e-run").is_cancel_requested);
    EXPECT_EQ(turn("later").status, turn_status::done);
    EXPECT_EQ(status_of("e"), session_status::running);
    EXPECT_EQ(error_of(step("e", epoch, "b", status::completed)), errc::execution_ended);
    clock().advance(1s);
    EXPECT_EQ(must(ops::cancel_execution{acme(), room_id{"e"}}), cancelled);
    EXPECT_THAT(notices_of("ann"), IsEmpty());

    must(execution_in("waiting", {task("a")}));
    must(ops::cancel_execution{acme(), room_id{"waiting"}});
    EXPECT_EQ(status_of("waiting"), session_status::idle);
    EXPECT_THAT(due(), IsEmpty());
}

// Pages of executions, the newest first, by what they are of.
// Proves: W1, X1
TEST_P(Executions, AreListedNewestFirst) {
    must(execution_in("b", {task("a")}, "w1"));
    must(execution_in("a", {task("a")}, "w2"));
    ops::create_execution bobs = execution_in("c", {task("a")}, "w1");
    bobs.execution.initiator = "bob";
    must(bobs);
    must(ops::cancel_execution{acme(), room_id{"a"}});
    const auto rooms = [this](ops::list_executions request) {
        request.organization = request.organization.empty() ? acme() : request.organization;
        std::vector<std::string> found;
        for (const workflow_execution& one : must(std::move(request))) {
            found.push_back(one.room.str());
        }
        return found;
    };
    EXPECT_THAT(rooms({}), ElementsAre("c", "a", "b"));
    ops::list_executions request;
    request.limit = 1;
    EXPECT_THAT(rooms(request), ElementsAre("c"));
    request.limit = 50;
    request.before = room_id{"c"};
    EXPECT_THAT(rooms(request), ElementsAre("a", "b"));
    request = {};
    request.workflow = workflow_id{"w1"};
    EXPECT_THAT(rooms(request), ElementsAre("c", "b"));
    request.initiator = "ann";
    EXPECT_THAT(rooms(request), ElementsAre("b"));
    request = {};
    request.status = execution_status::cancelled;
    EXPECT_THAT(rooms(request), ElementsAre("a"));
    request = {};
    request.organization = organization_id{"globex"};
    EXPECT_THAT(rooms(request), IsEmpty());
}

// Calls that were decided are kept in their order.
// Proves: W2
TEST_P(Executions, KeepWhatWasDecided) {
    const std::int64_t epoch = start("e", {task("a")});
    ops::note_invocation note;
    note.epoch = epoch;
    note.invocation.room = room_id{"e"};
    note.invocation.tool = "search";
    note.invocation.decision = tool_decision::denied;
    note.invocation.reason = "not_bound";
    note.invocation.arguments_digest = "digest";
    const tool_invocation first = must(note);
    EXPECT_EQ(first.at, clock().now());
    note.invocation.task = "a";
    note.invocation.reason.clear();
    note.invocation.decision = tool_decision::allowed;
    const tool_invocation second = must(note);
    EXPECT_GT(second.number, first.number);
    harness().restart();
    EXPECT_THAT(must(ops::list_invocations{acme(), room_id{"e"}}), ElementsAre(second, first));
    EXPECT_THAT(
        must(ops::list_invocations{acme(), room_id{"e"}, second.number}), ElementsAre(first)
    );
    EXPECT_THAT(must(ops::list_invocations{organization_id{"globex"}, room_id{"e"}}), IsEmpty());
}

// An execution goes with its room; who was told of it stays told.
// Proves: W1, W3
TEST_P(Executions, GoWithTheirRoom) {
    const std::int64_t epoch = start("e", {task("a")});
    must(step("e", epoch, "a", status::skipped));
    must(ops::delete_room{acme(), room_id{"e"}});
    EXPECT_EQ(error_of(ops::get_execution{acme(), room_id{"e"}}), errc::not_found);
    EXPECT_EQ(error_of(step("e", epoch, "a", status::skipped)), errc::driver_fenced);
    EXPECT_THAT(notices_of("ann"), SizeIs(1));
    // Its id can be used again.
    must(execution_in("e", {task("b")}));
    EXPECT_THAT(states("e"), ElementsAre(status::pending));
}

// A notification is its user's own.
// Proves: W3, X1
TEST_P(Executions, TellTheirInitiatorAlone) {
    for (const char* const room : {"e1", "e2"}) {
        const std::int64_t epoch = start(room, {task("a")});
        must(step(room, epoch, "a", status::skipped));
    }
    const auto told = must(ops::list_notifications{acme(), "ann"});
    ASSERT_THAT(told, SizeIs(2));
    EXPECT_EQ(told[0].told.link, "/api/v1/workflow-executions/e2");
    EXPECT_THAT(must(ops::list_notifications{acme(), "bob"}), IsEmpty());
    EXPECT_THAT(must(ops::list_notifications{organization_id{"globex"}, "ann"}), IsEmpty());
    EXPECT_THAT(
        must(ops::list_notifications{acme(), "ann", false, told[0].number}), ElementsAre(told[1])
    );

    const notification_id id = told[1].told.id;
    EXPECT_EQ(error_of(ops::mark_notification{acme(), "bob", id}), errc::not_found);
    clock().advance(1s);
    const wall_time seen = clock().now();
    EXPECT_EQ(must(ops::mark_notification{acme(), "ann", id}).read_at, seen);
    clock().advance(1s);
    EXPECT_EQ(must(ops::mark_notification{acme(), "ann", id}).read_at, seen);
    EXPECT_THAT(must(ops::list_notifications{acme(), "ann", true}), ElementsAre(told[0]));
    EXPECT_EQ(must(ops::mark_notification{acme(), "ann", id, false}).read_at, std::nullopt);
}

}  // namespace

}  // namespace convene
