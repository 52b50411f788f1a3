// SPDX-License-Identifier: Apache-2.0
// The simulated locks: one holder, a fair line, and freedom when a session ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sim/support/lock_manager.hpp"
#include "sim/support/run_in_world.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// One worker with its lock manager.
struct node {
    node(sim_world& world, sim_database& database, const char* name)
        : process(world.add_executor(name)),
          host(world, process, name),
          locks(database, host),
          runner(world, process) {}

    result<std::unique_ptr<lease>> acquire(const lease_name& wanted, deadline until) {
        return runner.run(locks.acquire(wanted, until));
    }

    sim_executor& process;
    sim_host host;
    sim_lock_manager locks;
    sim_runner runner;
};

class SimLocks : public testing::Test {
   protected:
    [[nodiscard]] deadline within(std::chrono::nanoseconds span) const {
        return deadline{world.now() + span};
    }

    sim_world world{11};
    sim_wall_clock clock{world};
    memory_tables tables{clock};
    sim_database database{world, tables};
    node first{world, database, "first"};
    node second{world, database, "second"};
    const lease_name room = lease_name::room(organization_id{"org"}, room_id{"r"});
    const lease_name claim = lease_name::delivery(organization_id{"org"}, room_id{"r"});
};

// The name is held elsewhere: the deadline ends the wait, and the place in the line is given up.
// Proves: L1, L3
TEST_F(SimLocks, EndsAWaitAtItsDeadline) {
    const auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    const auto waited = second.acquire(room, within(1s));
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error(), errc::timed_out);
    EXPECT_EQ(first.runner.run((*held)->release()), result<>{});
    EXPECT_TRUE(second.acquire(room, within(1s)));
}

// A holder learns that somebody waits, so that it can let go at a good point.
// Proves: L3
TEST_F(SimLocks, TellsTheHolderThatTheNameIsWanted) {
    const auto held = first.acquire(claim, within(1s));
    ASSERT_TRUE(held);
    EXPECT_FALSE((*held)->is_wanted());
    std::optional<result<std::unique_ptr<lease>>> waited;
    bool was_told = false;
    (*held)->when_wanted([&] { was_told = true; });
    second.runner.start(waited, second.locks.acquire(claim, within(1min)));
    world.run_for(1s);
    EXPECT_TRUE((*held)->is_wanted());
    EXPECT_TRUE(was_told);
    EXPECT_EQ(first.runner.run((*held)->release()), result<>{});
    world.run_until([&] { return waited.has_value(); }, 1s);
    EXPECT_TRUE(waited && *waited);
}

// The holder is killed: its host closes the connections, and the next one gets the name at once.
// Proves: L6
TEST_F(SimLocks, AreFreeSoonAfterAKill) {
    auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    first.process.kill();
    first.host.die(death::killed);
    EXPECT_TRUE(second.acquire(room, within(200ms)));
}

// The holder's host vanishes without a word: its locks are free in under 15 s.
// Proves: L6
TEST_F(SimLocks, AreFreeWhenAVanishedHostWasSilentLongEnough) {
    auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    first.process.kill();
    first.host.die(death::vanished);
    EXPECT_FALSE(second.acquire(room, within(2s)));
    EXPECT_TRUE(second.acquire(room, within(13s)));
}

// Cut off from the database, a holder is suspect after 1.5 s and gives up before the server lets go.
// Proves: L6
TEST_F(SimLocks, AreGivenUpByASilentHolderFirst) {
    auto held = first.acquire(claim, within(1s));
    ASSERT_TRUE(held);
    first.host.partition(1min);
    world.run_for(1s);
    EXPECT_EQ((*held)->state(), lease_state::held);
    world.run_for(1s);
    EXPECT_EQ((*held)->state(), lease_state::suspect);

    std::optional<result<std::unique_ptr<lease>>> next;
    second.runner.start(next, second.locks.acquire(claim, within(1min)));
    world.run_until([&] { return (*held)->state() == lease_state::lost; }, 1min);
    EXPECT_FALSE(next.has_value());
    world.run_until([&] { return next.has_value(); }, 15s);
    EXPECT_TRUE(next && *next);
    EXPECT_TRUE((*held)->lost().is_requested());
}

// A frozen process whose session was ended learns of the loss after it wakes, not before.
// Proves: L6, L7
TEST_F(SimLocks, AreLostToAZombieWhenItReadsItsSocket) {
    auto held = first.acquire(claim, within(1s));
    ASSERT_TRUE(held);
    first.host.freeze();
    for (const auto& connection : first.host.connections()) {
        connection->end_session(session_end::told);
    }
    ASSERT_TRUE(second.acquire(claim, within(1s)));
    EXPECT_FALSE((*held)->lost().is_requested());
    first.host.thaw();
    world.run_for(1s);
    EXPECT_EQ((*held)->state(), lease_state::lost);
    EXPECT_EQ(first.runner.run((*held)->release()), result<>{errc::lease_lost});
}

// Eight waiters in a row: chance may move one, but nobody is passed over again and again.
// Proves: L3
TEST_F(SimLocks, AreGrantedFairly) {
    std::vector<std::unique_ptr<node>> others;
    std::vector<std::optional<result<std::unique_ptr<lease>>>> answers(8);
    auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    for (auto& answer : answers) {
        others.push_back(std::make_unique<node>(world, database, "other"));
        others.back()->runner.start(answer, others.back()->locks.acquire(room, within(1min)));
    }
    world.run_for(100ms);
    EXPECT_EQ(first.runner.run((*held)->release()), result<>{});
    for (std::size_t granted = 0; granted < answers.size(); ++granted) {
        const auto has_lease = [](const auto& answer) { return answer && *answer && **answer; };
        world.run_until([&] { return std::ranges::any_of(answers, has_lease); }, 1s);
        const auto next = std::ranges::find_if(answers, has_lease);
        ASSERT_NE(next, answers.end());
        const auto place = static_cast<std::size_t>(next - answers.begin());
        std::unique_ptr<lease>& given = ***next;
        EXPECT_EQ(others[place]->runner.run(given->release()), result<>{});
        given.reset();
    }
}

// A session may take a name twice, and has to give it back twice.
// Proves: L8
TEST_F(SimLocks, NestWithinASession) {
    const auto opened = first.runner.run(database.connect(&first.host, connection_use::lease));
    ASSERT_TRUE(opened);
    sim_lock_service& service = database.locks();
    int granted = 0;
    const auto count = [&granted](const result<>& answer) { granted += answer ? 1 : 0; };
    service.try_lock(*opened, "name", count);
    service.lock(*opened, "name", count);
    EXPECT_EQ(granted, 2);
    EXPECT_TRUE(service.unlock(**opened, "name"));
    EXPECT_EQ(service.holder("name"), opened->get());
    EXPECT_TRUE(service.unlock(**opened, "name"));
    EXPECT_EQ(service.holder("name"), nullptr);
    EXPECT_FALSE(service.unlock(**opened, "name"));
}

// A client dies while its session waits in the server: the wait goes on, and what it gets is free soon after.
// Proves: L6
TEST_F(SimLocks, AreFreeAgainAfterADeadWaiterGotThem) {
    const auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    std::optional<result<std::unique_ptr<lease>>> never;
    second.runner.start(never, second.locks.acquire(room, within(1min)));
    world.run_for(100ms);
    second.process.kill();
    second.host.die(death::killed);
    world.run_for(100ms);
    EXPECT_TRUE(second.host.has_session());
    EXPECT_EQ(first.runner.run((*held)->release()), result<>{});
    world.run_for(100ms);
    EXPECT_FALSE(second.host.has_session());
    EXPECT_TRUE(first.acquire(room, within(1s)));
}

// A closing manager ends the waits of others and refuses new ones.
// Proves: D15
TEST_F(SimLocks, EndWaitsWhenTheManagerCloses) {
    const auto held = first.acquire(room, within(1s));
    ASSERT_TRUE(held);
    std::optional<result<std::unique_ptr<lease>>> waited;
    second.runner.start(waited, second.locks.acquire(room, within(1min)));
    world.run_for(100ms);
    EXPECT_EQ(second.runner.run(second.locks.close(within(1s))), result<>{});
    ASSERT_TRUE(waited.has_value());
    EXPECT_EQ(waited->error(), errc::unavailable);
    EXPECT_EQ(second.acquire(room, within(1s)).error(), errc::unavailable);
}

}  // namespace
}  // namespace convene
