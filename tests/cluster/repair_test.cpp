// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL database with duplicate indexes: workers start on it, warn, and repair it under a room's writers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/log.hpp"
#include "cluster/cluster_worker.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Room `dirty` has events c, a, b at index 0, d at 1 and e at 3, as a database without the unique index may have them;
/// room `clean` has x and y.
class repair_of_a_shared_database : public testing::Test {
   protected:
    void SetUp() override {
        cluster_worker first{loop_, schema_, "maker"};
        for (const char* const id : {"dirty", "clean"}) {
            first.must(ops::create_room{make_room(id), {}, {}});
        }
        for (const char* const id : {"c", "a", "b", "d", "e"}) {
            commit(first, "dirty", id);
        }
        commit(first, "clean", "x");
        commit(first, "clean", "y");
        admin_->run_script(
            "DROP INDEX idx_events_room_index;"
            "CREATE INDEX idx_events_room_index ON events (room_id, \"index\");"
            "UPDATE events SET \"index\" = CASE id WHEN 'd' THEN 1 WHEN 'e' THEN 3 ELSE 0 END,"
            " created_at = CASE id WHEN 'c' THEN 300 ELSE 200 END WHERE room_id = 'dirty';"
            "UPDATE rooms SET event_count = 2, latest_index = 1, next_index = 2 WHERE id = 'dirty';"
            "UPDATE room_cursors SET delivered_index = 1 WHERE room_id = 'dirty';"
            "INSERT INTO read_markers (room_id, thread, reader, event_index) VALUES ('dirty', '',"
            " 'alice', 1)"
        );
        ASSERT_FALSE(admin_->failure()) << admin_->failure_text();
    }

    void TearDown() override { set_log_sink({}); }

    static void commit(cluster_worker& by, const std::string& room, const std::string& id) {
        auto inside = by.enter(room);
        ASSERT_TRUE(inside) << inside.error();
        const auto committed = by.commit(*inside, id);
        ASSERT_TRUE(committed) << committed.error();
    }

    std::int64_t number(const std::string& sql) {
        admin_->forget_failure();
        return admin_->value_of<std::int64_t>(sql).value();
    }

    static std::vector<std::string> events_of(cluster_worker& by, const std::string& room) {
        std::vector<std::string> ids;
        for (const room_event& one : by.must(list_of(room))) {
            ids.push_back(one.id.str() + std::to_string(one.index.value()));
        }
        return ids;
    }

    postgres_schema schema_;
    loop loop_;
    std::unique_ptr<postgres::session> admin_ = schema_.connect();
};

// A worker starts all the same, says what is wrong and what to do, and shows it in its figures.
// Proves: S3
TEST_F(repair_of_a_shared_database, StartsAndWarns) {
    std::string logged;
    set_log_sink([&logged](log_level, std::string_view line) { logged += line; });
    cluster_worker late{loop_, schema_, "late"};
    EXPECT_THAT(logged, HasSubstr("idx_events_room_index is not UNIQUE"));
    const ops::store_figures figures = late.must(ops::read_figures{});
    EXPECT_FALSE(figures.index_is_unique);
    EXPECT_EQ(figures.duplicate_rows, 2);
}

// The dry run tells and changes nothing; the repair renumbers, moves cursor and markers along, makes the index unique,
// and the next commit of a worker that has been running all the time works.
// Proves: S4, S6, R2
TEST_F(repair_of_a_shared_database, IsRepairedWhileWorkersRun) {
    cluster_worker writer{loop_, schema_, "writer"};
    cluster_worker repairer{loop_, schema_, "repairer"};
    commit(writer, "clean", "z");

    const auto told = repairer.must(ops::dedupe_event_indices{true});
    EXPECT_EQ(told.action, "dry_run");
    EXPECT_EQ(told.duplicate_rows, 2);
    EXPECT_EQ(told.affected_rooms, 1);
    EXPECT_FALSE(told.now_unique);

    const auto done = repairer.must(ops::dedupe_event_indices{false});
    EXPECT_EQ(done.action, "repaired");
    EXPECT_TRUE(done.now_unique);
    EXPECT_THAT(events_of(writer, "dirty"), ElementsAre("a0", "b1", "c2", "d3", "e4"));
    const room repaired = writer.must(ops::get_room{acme(), room_id{"dirty"}});
    EXPECT_EQ(repaired.next_index, event_index{5});
    EXPECT_EQ(repaired.latest_index, event_index{4});
    EXPECT_EQ(repaired.delivered_index, event_index{3}) << "the cursor stood behind d";
    EXPECT_EQ(repaired.timeline_epoch, 1) << "tails are told to load again";
    EXPECT_EQ(number("SELECT event_index FROM read_markers WHERE reader = 'alice'"), 3);

    commit(writer, "dirty", "next");
    EXPECT_EQ(writer.must(ops::get_room{acme(), room_id{"dirty"}}).next_index, event_index{6});
    EXPECT_EQ(repairer.must(ops::dedupe_event_indices{false}).action, "noop");
}

// A writer that decided before the repair stores nothing under an index that means something else now.
// Proves: R2, S4
TEST_F(repair_of_a_shared_database, RefusesWhatWasDecidedBefore) {
    cluster_worker writer{loop_, schema_, "writer"};
    cluster_worker repairer{loop_, schema_, "repairer"};
    auto inside = writer.enter("dirty");
    ASSERT_TRUE(inside);
    EXPECT_TRUE(repairer.must(ops::dedupe_event_indices{false}).now_unique);
    EXPECT_EQ(writer.commit(*inside, "late", unlock_mode::keep).error(), errc::room_changed);
    const result<> released = loop_.run_until_done(inside->lock->release());
    EXPECT_TRUE(released);
    EXPECT_EQ(number("SELECT count(*) FROM events WHERE room_id = 'dirty'"), 5);
}

// A plain index without duplicates is made unique by the next worker that starts.
// Proves: S2, S3 (rk:P6, rk:K12)
TEST_F(repair_of_a_shared_database, TheIndexIsMadeUniqueWhenNothingStandsAgainstIt) {
    admin_->run_script("UPDATE events SET \"index\" = 10 + seq WHERE room_id = 'dirty'");
    // A start leaves it to the next one while another process changes tables: other tests share the server.
    bool is_unique = false;
    for (int starts = 0; starts < 50 && !is_unique; ++starts) {
        cluster_worker late{loop_, schema_, "late" + std::to_string(starts)};
        is_unique = late.must(ops::read_figures{}).index_is_unique;
    }
    EXPECT_TRUE(is_unique);
}

}  // namespace

}  // namespace convene
