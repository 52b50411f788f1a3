// SPDX-License-Identifier: Apache-2.0
// What every store promises about workflows: drafts, versions, and how they are designed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/workflows_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Workflows : public workflow_conformance {};

CONVENE_ON_EVERY_STORE(Workflows);

// What a workflow says is kept as it was said, also over a restart.
// Proves: W1
TEST_P(Workflows, KeepWhatTheySay) {
    const std::vector<task_template> tasks{task("a"), task("b", {"a"})};
    const workflow made = make_workflow("w", tasks);
    EXPECT_EQ(made.status, workflow_status::draft);
    EXPECT_EQ(made.revision, 1);
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(made.tasks, tasks);
    harness().restart();
    EXPECT_EQ(stored_workflow("w"), made);
    EXPECT_EQ(error_of(ops::get_workflow{organization_id{"globex"}, made.id}), errc::not_found);
    EXPECT_EQ(make_workflow("w"), made);
    workflow others = draft_of("w");
    others.created_by = "bob";
    EXPECT_EQ(error_of(ops::put_workflow{others, {}, {}}), errc::already_exists);
    others.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(ops::put_workflow{others, {}, {}}), errc::already_exists);
}

// Of two who change the same draft one reads again; what never changes does not.
// Proves: W1
TEST_P(Workflows, AreChangedAsTheyWereRead) {
    workflow read = make_workflow("w");
    read.name = "Other";
    read.created_by = "bob";
    read.room = room_id{"elsewhere"};
    read.published = 9;
    clock().advance(1s);
    const workflow changed = must(ops::put_workflow{read, {}, {}});
    EXPECT_EQ(changed.name, "Other");
    EXPECT_EQ(changed.revision, 2);
    EXPECT_EQ(changed.created_by, "ann");
    EXPECT_EQ(changed.room, room_id{});
    EXPECT_EQ(changed.published, 0);
    EXPECT_EQ(changed.updated_at, clock().now());
    EXPECT_EQ(error_of(ops::put_workflow{read, {}, {}}), errc::room_changed);
    workflow unknown = draft_of("nobody");
    unknown.revision = 1;
    EXPECT_EQ(error_of(ops::put_workflow{unknown, {}, {}}), errc::not_found);
    workflow wrong = changed;
    wrong.tasks = {task("a", {"a"})};
    EXPECT_EQ(error_of(ops::put_workflow{wrong, {}, {}}), errc::invalid_argument);
}

// A version is the draft as it was; the same draft is not published twice, and a change makes it modified.
// Proves: W1
TEST_P(Workflows, ArePublishedOnceAsTheyAre) {
    workflow draft = make_workflow("w");
    ops::publish_workflow publish{acme(), draft.id, draft.revision, "ann"};
    EXPECT_EQ(error_of(publish), errc::invalid_argument);
    draft.tasks = {task("a")};
    draft = must(ops::put_workflow{draft, {}, {}});
    EXPECT_EQ(error_of(publish), errc::room_changed);
    publish.revision = draft.revision;
    const workflow_version first = must(publish);
    EXPECT_EQ(first.number, 1);
    EXPECT_EQ(first.tasks, draft.tasks);
    EXPECT_EQ(first.published_by, "ann");
    EXPECT_EQ(must(publish), first);
    EXPECT_EQ(stored_workflow("w").status, workflow_status::published);
    EXPECT_EQ(stored_workflow("w").published, 1);

    draft = stored_workflow("w");
    draft.tasks.push_back(task("b", {"a"}));
    draft = must(ops::put_workflow{draft, {}, {}});
    EXPECT_EQ(draft.status, workflow_status::modified);
    publish.revision = draft.revision;
    publish.by = "bob";
    const workflow_version second = must(publish);
    EXPECT_EQ(second.number, 2);
    harness().restart();
    EXPECT_EQ(must(ops::get_workflow_version{acme(), draft.id, 1}), first);
    EXPECT_THAT(must(ops::list_workflow_versions{acme(), draft.id}), ElementsAre(second, first));
    EXPECT_THAT(must(ops::list_workflow_versions{acme(), draft.id, 1}), ElementsAre(second));
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::get_workflow_version{globex, draft.id, 1}), errc::not_found);
    EXPECT_THAT(must(ops::list_workflow_versions{globex, draft.id}), IsEmpty());
}

// Pages of workflows, the newest first.
// Proves: W1, X1
TEST_P(Workflows, AreListedNewestFirst) {
    for (const char* const id : {"b", "a", "c"}) {
        make_workflow(id);
    }
    const auto ids = [this](ops::list_workflows request) {
        std::vector<std::string> found;
        for (const workflow& one : must(std::move(request))) {
            found.push_back(one.id.str());
        }
        return found;
    };
    EXPECT_THAT(ids({acme()}), ElementsAre("c", "a", "b"));
    EXPECT_THAT(ids({acme(), {}, 2}), ElementsAre("c", "a"));
    EXPECT_THAT(ids({acme(), workflow_id{"a"}}), ElementsAre("b"));
    EXPECT_THAT(ids({acme(), workflow_id{"nobody"}}), IsEmpty());
    EXPECT_THAT(ids({organization_id{"globex"}}), IsEmpty());
    EXPECT_TRUE(must(ops::delete_workflow{acme(), workflow_id{"a"}}));
    EXPECT_FALSE(must(ops::delete_workflow{acme(), workflow_id{"a"}}));
    EXPECT_FALSE(must(ops::delete_workflow{organization_id{"globex"}, workflow_id{"b"}}));
    EXPECT_THAT(ids({acme()}), ElementsAre("c", "b"));
}

// A workflow that is to be designed is there with its session and the first turn, or not at all.
// Proves: W1, A4
TEST_P(Workflows, ComeWithTheirSession) {
    create("taken");
    EXPECT_EQ(
        error_of(ops::put_workflow{draft_of("w"), session_in("taken"), {}}), errc::already_exists
    );
    EXPECT_EQ(error_of(ops::get_workflow{acme(), workflow_id{"w"}}), errc::not_found);
    const workflow made = must(ops::put_workflow{draft_of("w"), session_in("d"), {}});
    EXPECT_EQ(made.status, workflow_status::generating);
    EXPECT_EQ(made.room, room_id{"d"});
    EXPECT_EQ(status_of("d"), session_status::queued);
    EXPECT_THAT(due(), ElementsAre("d-turn"));
    EXPECT_EQ(must(ops::find_session_work{acme(), room_id{"d"}}).design, made);
    EXPECT_FALSE(must(ops::find_session_work{acme(), room_id{"taken"}}).design);
    EXPECT_FALSE(must(ops::find_session_work{organization_id{"globex"}, room_id{"d"}}).design);
    EXPECT_EQ(
        error_of(ops::publish_workflow{acme(), made.id, made.revision, "ann"}),
        errc::invalid_argument
    );
}

// The first design turn makes a draft or has failed, once, and who asked for it is told with it.
// Proves: W1, W3
TEST_P(Workflows, AreGeneratedOnce) {
    must(ops::put_workflow{draft_of("w"), session_in("d"), {}});
    const std::int64_t epoch = must(run_of("d", "run", "d-turn")).session.driver_epoch;
    ops::put_draft put{room_id{"d"}, epoch + 1, "For all", std::vector{task("a")}};
    EXPECT_EQ(error_of(put), errc::driver_fenced);
    put.epoch = epoch;
    put.tasks = std::vector{task("a", {"a"})};
    EXPECT_EQ(error_of(put), errc::invalid_argument);
    put.tasks = std::vector{task("a")};
    const workflow drafted = must(put);
    EXPECT_EQ(drafted.status, workflow_status::generating);
    EXPECT_EQ(drafted.description, "For all");
    EXPECT_THAT(notices_of("ann"), IsEmpty());

    must(end_of("d", "run", epoch));
    EXPECT_EQ(stored_workflow("w").status, workflow_status::draft);
    EXPECT_THAT(notices_of("ann"), ElementsAre("draft_ready: The draft is ready: Returns"));
    must(end_of("d", "run", epoch));
    // Later turns change the draft, and nobody is told again.
    const std::int64_t next = begin("d", "run2");
    must(ops::put_draft{room_id{"d"}, next, {}, std::vector{task("a"), task("b")}});
    must(end_of("d", "run2", next));
    EXPECT_THAT(stored_workflow("w").tasks, SizeIs(2));
    EXPECT_THAT(notices_of("ann"), SizeIs(1));

    open("plain");
    const std::int64_t other = begin("plain", "run3");
    EXPECT_EQ(
        error_of(ops::put_draft{room_id{"plain"}, other, "x", std::nullopt}), errc::not_found
    );
}

// A first turn that leaves no tasks, fails, or is set aside has failed, with the reason; tasks put it right.
// Proves: W1, W3
TEST_P(Workflows, SayWhyTheirGenerationFailed) {
    must(ops::put_workflow{draft_of("none"), session_in("d1"), {}});
    must(end_of("d1", "r1", must(run_of("d1", "r1", "d1-turn")).session.driver_epoch));
    EXPECT_EQ(stored_workflow("none").error, "no_tasks");

    must(ops::put_workflow{draft_of("broken"), session_in("d2"), {}});
    ops::end_run failed = end_of(
        "d2", "r2", must(run_of("d2", "r2", "d2-turn")).session.driver_epoch
    );
    failed.status = run_status::failed;
    failed.then = session_status::failed;
    failed.error_code = "MODEL_UNAVAILABLE";
    must(failed);
    EXPECT_EQ(stored_workflow("broken").error, "MODEL_UNAVAILABLE");

    must(ops::put_workflow{draft_of("deadly"), session_in("d3"), {}});
    must(ops::quarantine_turn{turn_id{"d3-turn"}, "too_many_attempts"});
    EXPECT_EQ(stored_workflow("deadly").error, "too_many_attempts");

    must(ops::put_workflow{draft_of("gone"), session_in("d4"), {}});
    must(ops::delete_room{acme(), room_id{"d4"}});
    EXPECT_EQ(stored_workflow("gone").error, "room_deleted");
    EXPECT_EQ(stored_workflow("gone").room, room_id{});
    for (const char* const id : {"none", "broken", "deadly", "gone"}) {
        EXPECT_EQ(stored_workflow(id).status, workflow_status::failed) << id;
    }
    EXPECT_THAT(notices_of("ann"), SizeIs(3));

    workflow mended = stored_workflow("none");
    mended.tasks = {task("a")};
    mended = must(ops::put_workflow{mended, {}, {}});
    EXPECT_EQ(mended.status, workflow_status::draft);
    EXPECT_EQ(mended.error, "");
}

// A first turn that waits for an answer has not ended.
// Proves: W1, A5
TEST_P(Workflows, AreNotSettledWhileTheAgentAsks) {
    must(ops::put_workflow{draft_of("w"), session_in("d"), {}});
    ops::end_run asking = end_of("d", "r", must(run_of("d", "r", "d-turn")).session.driver_epoch);
    asking.then = session_status::waiting_for_input;
    asking.open_calls = {{"c", "ask", {}}};
    must(asking);
    EXPECT_EQ(stored_workflow("w").status, workflow_status::generating);
    must(end_of("d", "r2", begin("d", "r2")));
    EXPECT_EQ(stored_workflow("w").status, workflow_status::failed);
}

// What was made goes with its organisation.
// Proves: R20
TEST_P(Workflows, GoWithTheirOrganisation) {
    must(ops::create_organization{{acme(), "Acme"}, {}, {}});
    make_workflow("w", {task("a")});
    must(ops::publish_workflow{acme(), workflow_id{"w"}, 1, "ann"});
    const std::int64_t epoch = start("e", {task("a")});
    must(step("e", epoch, "a", execution_task_status::in_progress));
    must(step("e", epoch, "a", execution_task_status::completed));
    must(ops::begin_erasure{acme(), {}});
    for (int i = 0; i < 10 && must(ops::continue_erasure{}).has_more; ++i) {
    }
    EXPECT_THAT(must(ops::list_workflows{acme()}), IsEmpty());
    EXPECT_THAT(must(ops::list_workflow_versions{acme(), workflow_id{"w"}}), IsEmpty());
    EXPECT_THAT(must(ops::list_executions{acme()}), IsEmpty());
    EXPECT_THAT(notices_of("ann"), IsEmpty());
}

}  // namespace

}  // namespace convene
