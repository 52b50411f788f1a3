// SPDX-License-Identifier: Apache-2.0
// The simulated database: what a lost connection means for a request, and who may still commit.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

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

}  // namespace
}  // namespace convene
