// SPDX-License-Identifier: Apache-2.0
// The simulated database: what a lost connection means for a request, who may still commit, and how groups end.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/support/lock_manager.hpp"
#include "sim/support/run_in_world.hpp"
#include "sim/support/store.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

struct node {
    node(sim_world& world, sim_database& database, const char* name, commit_fence fence)
        : process(world.add_executor(name)),
          host(world, process, name),
          locks(database, host),
          store(database, host, fence),
          runner(world, process) {}

    sim_executor& process;
    sim_host host;
    sim_lock_manager locks;
    sim_store store;
    sim_runner runner;
};

class SimDatabase : public testing::TestWithParam<commit_fence> {
   protected:
    SimDatabase() {
        ops::create_room request;
        request.room.id = room;
        request.room.organization = organization;
        EXPECT_TRUE(tables.apply(request));
    }

    result<room_tenure> enter(node& worker) {
        const ops::load_room_head head{organization, room, {}};
        return worker.runner.run(worker.store.enter_room(&worker.locks, head, within(1s)));
    }

    ops::commit batch_for(const room_tenure& tenure, const char* id) const {
        ops::commit batch;
        batch.organization = organization;
        batch.room = room;
        batch.expected_next = tenure.head.room.next_index;
        batch.expected_config = tenure.head.room.config;
        room_event event;
        event.id = event_id{id};
        event.room = room;
        event.index = batch.expected_next;
        batch.events.push_back(event);
        return batch;
    }

    [[nodiscard]] deadline within(std::chrono::nanoseconds span) const {
        return deadline{world.now() + span};
    }

    [[nodiscard]] std::int64_t event_count() {
        return tables.apply(ops::get_room{organization, room})->event_count;
    }

    const organization_id organization{"org"};
    const room_id room{"r"};
    sim_world world{5};
    sim_wall_clock clock{world};
    memory_tables tables{clock};
    sim_database database{world, tables};
    node first{world, database, "first", GetParam()};
    node second{world, database, "second", GetParam()};
};

INSTANTIATE_TEST_SUITE_P(
    Fences,
    SimDatabase,
    testing::Values(commit_fence::session, commit_fence::lock_epoch),
    [](const auto& chosen) {
        return chosen.param == commit_fence::session ? "Session" : "LockEpoch";
    }
);

// A commit under its lock is stored, and the lock is free once it is visible.
// Proves: R1
TEST_P(SimDatabase, CommitsAndUnlocks) {
    auto tenure = enter(first);
    ASSERT_TRUE(tenure);
    const auto batch = batch_for(*tenure, "e0");
    ASSERT_TRUE(first.runner.run(first.store.commit(&*tenure, batch, unlock_mode::release)));
    EXPECT_EQ(event_count(), 1);
    const auto next = enter(second);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->head.room.next_index, event_index{1});
}

// A zombie's session was ended and its room taken by another worker: its commit changes nothing.
// Proves: L7
TEST_P(SimDatabase, RefusesTheCommitOfAZombie) {
    auto stale = enter(first);
    ASSERT_TRUE(stale);
    const auto batch = batch_for(*stale, "stale");
    first.host.freeze();
    for (const auto& connection : first.host.connections()) {
        connection->end_session(session_end::told);
    }
    auto tenure = enter(second);
    ASSERT_TRUE(tenure);
    first.host.thaw();
    const auto refused = first.runner.run(first.store.commit(&*stale, batch, unlock_mode::release));
    EXPECT_FALSE(refused);
    EXPECT_EQ(event_count(), 0);
    const auto good = batch_for(*tenure, "good");
    EXPECT_TRUE(second.runner.run(second.store.commit(&*tenure, good, unlock_mode::release)));
}

// The answer to a write is lost with its connection: it may have happened, and the caller is told so.
// Proves: R8
TEST_P(SimDatabase, AnswersOutcomeUnknownWhenTheAnswerIsLost) {
    std::optional<result<ops::get_cursor::answer>> warm;
    first.runner.start(warm, first.store.run(ops::get_cursor{room}));
    world.run_until([&] { return warm.has_value(); }, 1s);

    ops::create_room request;
    request.room.id = room_id{"other"};
    request.room.organization = organization;
    std::optional<result<convene::room>> created;
    first.runner.start(created, first.store.run(request));
    const auto was_applied = [&] {
        return tables.apply(ops::get_room{organization, room_id{"other"}}).has_value();
    };
    world.run_until(was_applied, 1s);
    for (const auto& connection : first.host.connections()) {
        connection->end_session(session_end::reset);
    }
    world.run_until([&] { return created.has_value(); }, 1s);
    ASSERT_TRUE(created.has_value());
    EXPECT_EQ(created->error(), errc::outcome_unknown);
}

// The answer to a read is lost: nothing can have changed.
// Proves: O4
TEST_P(SimDatabase, AnswersConnectionLostForARead) {
    std::optional<result<ops::get_cursor::answer>> read;
    first.runner.start(read, first.store.run(ops::get_cursor{room}));
    world.run_until([&] { return first.host.has_session(); }, 1s);
    for (const auto& connection : first.host.connections()) {
        connection->end_session(session_end::reset);
    }
    world.run_until([&] { return read.has_value(); }, 1s);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->error(), errc::connection_lost);
}

// The database is down for a while: operations fail without having changed anything, and later succeed.
// Proves: O4
TEST_P(SimDatabase, RefusesSessionsWhileItIsDown) {
    database.restart({}, 5s);
    const auto refused = first.runner.run(first.store.run(ops::get_cursor{room}));
    EXPECT_EQ(refused.error(), errc::connection_lost);
    world.run_for(5s);
    EXPECT_TRUE(first.runner.run(first.store.run(ops::get_cursor{room})));
}

// An incarnation that is recorded as dead gets no session any more: nothing of it can arrive later.
// Proves: L10
TEST_P(SimDatabase, RefusesWhoIsRecordedAsDead) {
    ops::worker_row row;
    row.incarnation = incarnation_id{"w1"};
    ASSERT_TRUE(tables.apply(ops::register_worker{row}));
    ASSERT_TRUE(tables.apply(ops::set_worker_state{row.incarnation, ops::worker_state::dead}));
    first.host.incarnation = row.incarnation;
    const auto refused = first.runner.run(first.store.run(ops::get_cursor{room}));
    EXPECT_EQ(refused.error(), errc::incarnation_dead);
}

// A worker was killed with a write on its way: its kernel still sends it, and then closes the sessions.
// Proves: L10
TEST_P(SimDatabase, MayApplyWhatADeadWorkerHadSent) {
    std::optional<result<ops::get_cursor::answer>> warm;
    first.runner.start(warm, first.store.run(ops::get_cursor{room}));
    world.run_until([&] { return warm.has_value(); }, 1s);
    ops::create_room request;
    request.room.id = room_id{"late"};
    request.room.organization = organization;
    std::optional<result<convene::room>> never;
    first.runner.start(never, first.store.run(request));
    world.run_until([&] { return !first.process.is_runnable(); }, 1ms);
    first.process.kill();
    first.host.die(death::killed);
    world.run_until([&] { return !first.host.has_session(); }, 1s);
    EXPECT_FALSE(never.has_value());
    EXPECT_TRUE(tables.apply(ops::get_room{organization, room_id{"late"}}));
}

/// What only PostgreSQL's way of committing has: groups of one request on the session that holds the lock.
class SimGroups : public SimDatabase {
   protected:
    /// Starts a commit of one event under a lock of `first`.
    void start_commit(const char* id) {
        tenure.emplace(enter(first));
        ASSERT_TRUE(*tenure);
        const auto batch = batch_for(**tenure, id);
        committed.reset();
        first.runner.start(committed, first.store.commit(&**tenure, batch, unlock_mode::release));
    }

    void until_answered() {
        world.run_until([this] { return committed.has_value(); }, 1min);
        ASSERT_TRUE(committed.has_value());
    }

    /// Until the commit's group is being run.
    void until_it_runs() { world.run_for(100ms); }

    [[nodiscard]] static server_manners manners_of(per_mille server_manners::* kind) {
        server_manners manners;
        manners.*kind = per_mille{1000};
        return manners;
    }

    std::optional<result<room_tenure>> tenure;
    std::optional<result<ops::commit::answer>> committed;
};

INSTANTIATE_TEST_SUITE_P(
    Fences,
    SimGroups,
    testing::Values(commit_fence::session),
    [](const auto& /*chosen*/) { return "Session"; }
);

// The commit's group fails: nothing is stored, and the lock is given back all the same by the group behind it.
// Proves: L7
TEST_P(SimGroups, UnlockAfterAGroupThatFailed) {
    start_commit("e0");
    database.set_manners(manners_of(&server_manners::is_busy));
    until_answered();
    EXPECT_EQ(committed->error(), errc::store_busy);
    EXPECT_EQ((*tenure)->lock, nullptr);
    database.set_manners({});
    EXPECT_EQ(event_count(), 0);
    EXPECT_TRUE(enter(second));
}

// The worker dies while the server runs its commit: it becomes visible, before anybody else gets the lock.
// Proves: L7, L10
TEST_P(SimGroups, AreRunToTheirEndForAClientThatDied) {
    start_commit("e0");
    database.set_manners(manners_of(&server_manners::stalls));
    until_it_runs();
    ASSERT_EQ(event_count(), 0);
    first.process.kill();
    first.host.die(death::killed);
    world.run_for(100ms);
    EXPECT_TRUE(first.host.has_session());
    database.set_manners({});
    const auto next = enter(second);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->head.room.next_index, event_index{1});
    EXPECT_FALSE(first.host.has_session());
}

// An operator ends the session while the server runs its commit: it is rolled back, which the client can't know.
// Proves: R8
TEST_P(SimGroups, AreRolledBackWithTheirSession) {
    start_commit("e0");
    database.set_manners(manners_of(&server_manners::stalls));
    until_it_runs();
    for (const auto& connection : first.host.connections()) {
        connection->end_session(session_end::told);
    }
    until_answered();
    EXPECT_EQ(committed->error(), errc::outcome_unknown);
    world.run_for(5s);
    EXPECT_EQ(event_count(), 0);
}

// The database restarts in the middle of a commit: it is rolled back, and later everything goes on.
// Proves: O4
TEST_P(SimGroups, AreRolledBackByARestart) {
    start_commit("e0");
    database.set_manners(manners_of(&server_manners::stalls));
    until_it_runs();
    database.restart({&first.host}, 1s);
    database.set_manners({});
    until_answered();
    EXPECT_EQ(committed->error(), errc::outcome_unknown);
    EXPECT_FALSE(database.is_settled());
    tenure.reset();
    world.run_for(2s);
    EXPECT_EQ(event_count(), 0);
    EXPECT_TRUE(enter(second));
    world.run_for(10s);
    EXPECT_TRUE(database.is_settled());
}

// A connection that dies before the commit and one that dies before its answer: the client sees the same.
// Proves: R8
TEST_P(SimGroups, AreUnknownOnBothSidesOfTheCommit) {
    int unknown = 0;
    constexpr int commits = 20;
    for (int i = 0; i < commits; ++i) {
        start_commit(("e" + std::to_string(i)).c_str());
        database.set_manners(manners_of(&server_manners::breaks_off));
        until_answered();
        unknown += committed->error() == errc::outcome_unknown ? 1 : 0;
        database.set_manners({});
        tenure.reset();
    }
    EXPECT_EQ(unknown, commits);
    EXPECT_GT(event_count(), 0);
    EXPECT_LT(event_count(), commits);
}

/// Steps of several rooms of one worker.
class SimSteps : public SimDatabase {
   protected:
    /// A room with one event that is delivered to nobody, and its claim.
    ops::finish_set step_of(const char* name) {
        ops::create_room created;
        created.room.id = room_id{name};
        created.room.organization = organization;
        const auto made = tables.apply(created);
        EXPECT_TRUE(made);
        ops::commit batch;
        batch.organization = organization;
        batch.room = created.room.id;
        batch.expected_config = made->config;
        room_event event;
        event.id = event_id{name};
        event.room = batch.room;
        event.index = event_index{0};
        batch.expected_next = event.index;
        batch.events.push_back(event);
        EXPECT_TRUE(tables.apply(batch));
        const ops::claim_cursor claim{batch.room, incarnation_id{"w"}, 0, std::nullopt};
        ops::finish_set step;
        step.room = batch.room;
        step.claim_epoch = tables.apply(claim)->claim_epoch;
        step.index = event.index;
        step.advance_to = event.index;
        return step;
    }

    using answer = std::optional<result<ops::finish_set::answer>>;

    void write(answer& into, ops::finish_set step) {
        first.runner.start(into, first.store.run(std::move(step)));
    }

    void until_all_have(const std::vector<answer>& answers) {
        const auto has_value = [](const answer& one) { return one.has_value(); };
        world.run_until([&] { return std::ranges::all_of(answers, has_value); }, 1min);
    }
};

INSTANTIATE_TEST_SUITE_P(
    Fences,
    SimSteps,
    testing::Values(commit_fence::session),
    [](const auto& /*chosen*/) { return "Session"; }
);

// Steps go together; one of a former claimer stores nothing and does not keep the others from it.
// Proves: D3, L7
TEST_P(SimSteps, GoTogetherAndMissAlone) {
    std::vector<answer> answers(4);
    write(answers[0], step_of("r0"));
    write(answers[1], step_of("r1"));
    ops::finish_set stale = step_of("r2");
    --stale.claim_epoch;
    write(answers[2], stale);
    write(answers[3], step_of("r3"));
    until_all_have(answers);
    for (const std::size_t good : {0U, 1U, 3U}) {
        ASSERT_TRUE(answers[good] && *answers[good]);
        EXPECT_EQ((*answers[good])->delivered, event_index{0});
    }
    EXPECT_EQ(answers[2]->error(), errc::claim_lost);
}

// A step whose data is refused in company is stored by itself, and so are the others.
// Proves: D13
TEST_P(SimSteps, AreTriedAloneWhenOneOfThemIsRefused) {
    server_manners manners;
    manners.sulky_rooms.insert(room_id{"r1"});
    database.set_manners(manners);
    std::vector<answer> answers(4);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        write(answers[i], step_of(("r" + std::to_string(i)).c_str()));
    }
    until_all_have(answers);
    for (const answer& one : answers) {
        EXPECT_TRUE(one && *one);
    }
}

// The answer to steps is lost: all of them are stored, or none, and their lanes are told that it is not known.
// Proves: D13
TEST_P(SimSteps, AreAllUnknownWhenTheirAnswerIsLost) {
    std::vector<answer> warm(1);
    write(warm[0], step_of("warm"));
    until_all_have(warm);
    std::vector<answer> answers(3);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        write(answers[i], step_of(("r" + std::to_string(i)).c_str()));
    }
    server_manners manners;
    manners.breaks_off = per_mille{1000};
    database.set_manners(manners);
    until_all_have(answers);
    for (const answer& one : answers) {
        EXPECT_EQ(one->error(), errc::outcome_unknown);
    }
}

}  // namespace
}  // namespace convene
