// SPDX-License-Identifier: Apache-2.0
// The commit of a room on the connection that holds its lock: what becomes of it when that connection does not live.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster_worker.hpp"
#include "support/postgres_schema.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

using worker = cluster_worker;

class commits_of_two_workers : public testing::Test {
   protected:
    void SetUp() override { first_.must(ops::create_room{make_room("r"), {}, {}}); }

    /// Ends the session of a worker that holds a room's lock, as an operator or a crash would.
    void end_holder(const worker& of) {
        const auto ended = admin_->value_of<std::int64_t>(
            "SELECT count(pg_terminate_backend(l.pid, 10000)) FROM pg_locks l JOIN pg_stat_activity"
            " a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND"
            " l.granted AND a.application_name = ?1",
            "convene " + of.incarnation().str()
        );
        ASSERT_EQ(ended, 1);
    }

    std::vector<std::string> stored() {
        ops::list_events all = list_of("r");
        std::vector<std::string> ids;
        for (const room_event& one : first_.must(std::move(all))) {
            ids.push_back(one.id.str());
        }
        return ids;
    }

    [[nodiscard]] room room_now() { return first_.must(ops::get_room{acme(), room_id{"r"}}); }

    postgres_schema schema_;
    loop loop_;
    std::unique_ptr<postgres::session> admin_ = schema_.connect();
    worker first_{loop_, schema_, "first"};
    worker second_{loop_, schema_, "second"};
};

using ids = std::vector<std::string>;

// The lock is free once the commit is visible: whoever gets it next decides on what was committed.
// Proves: R1, R6, L7
TEST_F(commits_of_two_workers, TakeTurns) {
    for (int i = 0; i < 5; ++i) {
        for (worker* const one : {&first_, &second_}) {
            auto inside = one->enter("r");
            ASSERT_TRUE(inside) << inside.error();
            const std::string id = one->incarnation().str() + std::to_string(i);
            const auto committed = one->commit(*inside, id);
            ASSERT_TRUE(committed) << committed.error();
            EXPECT_EQ(inside->lock, nullptr);
        }
    }
    EXPECT_EQ(room_now().next_index, event_index{10});
    EXPECT_EQ(stored().size(), 10u);
}

// A worker that holds the lock keeps others out, and they find the room as it was left.
// Proves: R6, R7, L3
TEST_F(commits_of_two_workers, ExcludeEachOther) {
    auto inside = first_.enter("r");
    ASSERT_TRUE(inside);
    EXPECT_EQ(second_.enter("r", 300ms).error(), errc::timed_out);
    ASSERT_TRUE(first_.commit(*inside, "a", unlock_mode::keep));
    EXPECT_EQ(second_.enter("r", 300ms).error(), errc::timed_out);
    EXPECT_TRUE(loop_.run_until_done(inside->lock->release()));
    auto next = second_.enter("r");
    ASSERT_TRUE(next);
    EXPECT_EQ(next->head.room.next_index, event_index{1});
    EXPECT_TRUE(second_.commit(*next, "b"));
}

// A worker that lost its lock while it decided, and does not know it, changes nothing: its commit has no other way than
// the session that held the lock.
// Proves: L7, L8, R1
TEST_F(commits_of_two_workers, DieWithTheLock) {
    auto zombie = first_.enter("r");
    ASSERT_TRUE(zombie);
    end_holder(first_);
    auto next = second_.enter("r");
    ASSERT_TRUE(next) << next.error();
    EXPECT_EQ(first_.commit(*zombie, "late").error(), errc::outcome_unknown);
    zombie->lock.reset();
    EXPECT_TRUE(second_.commit(*next, "next"));
    EXPECT_EQ(stored(), ids{"next"});
    // The one that lost it goes on with a new session.
    auto again = first_.enter("r");
    ASSERT_TRUE(again) << again.error();
    EXPECT_TRUE(first_.commit(*again, "again"));
    EXPECT_EQ(stored(), (ids{"next", "again"}));
}

// A connection that ended while nobody used it is noticed by whoever takes it, and nobody fails for it.
// Proves: L8, O4
TEST_F(commits_of_two_workers, FindIdleConnectionsThatEnded) {
    auto inside = first_.enter("r");
    ASSERT_TRUE(inside);
    ASSERT_TRUE(first_.commit(*inside, "a"));
    const auto ended = admin_->value_of<std::int64_t>(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE"
        " application_name = ?1",
        "convene " + first_.incarnation().str()
    );
    ASSERT_GE(ended, 1);
    auto again = first_.enter("r");
    ASSERT_TRUE(again) << again.error();
    EXPECT_TRUE(first_.commit(*again, "b"));
}

// Decided on a room that has changed: nothing is stored, and the connection goes on.
// Proves: R1, R2 (rk:P3)
TEST_F(commits_of_two_workers, StoreNothingOnAMiss) {
    auto inside = first_.enter("r");
    ASSERT_TRUE(inside);
    ASSERT_TRUE(first_.commit(*inside, "a", unlock_mode::keep));
    // The head is the one from before.
    EXPECT_EQ(first_.commit(*inside, "b", unlock_mode::keep).error(), errc::room_changed);
    inside->head.room = room_now();
    EXPECT_TRUE(first_.commit(*inside, "c"));
    EXPECT_EQ(stored(), (ids{"a", "c"}));
}

}  // namespace

}  // namespace convene
