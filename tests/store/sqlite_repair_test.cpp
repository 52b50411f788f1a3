// SPDX-License-Identifier: Apache-2.0
// A file with duplicate indexes: it opens with a warning, is reported, and is repaired in one
// transaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/log.hpp"
#include "store/sqlite_database.hpp"

namespace convene::sqlite {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Room `dirty` has events a, b, c at index 0, d at 1 and e at 3; room `clean` has x and y.
class SqliteRepair : public testing::Test {
   protected:
    SqliteRepair() {
        for (const char* id : {"dirty", "clean"}) {
            database_.create(id);
        }
        database_.commit_messages("dirty", {"c", "a", "b", "d", "e"});
        database_.commit_messages("clean", {"x", "y"});
        database_.sql(
            "DROP INDEX idx_events_room_index;"
            "CREATE INDEX idx_events_room_index ON events (room_id, \"index\");"
            "UPDATE events SET \"index\" = CASE id WHEN 'd' THEN 1 WHEN 'e' THEN 3 ELSE 0 END,"
            " created_at = CASE id WHEN 'c' THEN 300 ELSE 200 END WHERE room_id = 'dirty';"
            "UPDATE rooms SET event_count = 2, latest_index = 1, next_index = 2 WHERE id = 'dirty'"
        );
    }

    ~SqliteRepair() override { set_log_sink({}); }

    [[nodiscard]] ops::dedupe_event_indices::answer dedupe(bool dry_run) {
        return database_.run(ops::dedupe_event_indices{dry_run}).value();
    }

    [[nodiscard]] std::int64_t index_of(const std::string& event) {
        return database_.number("SELECT \"index\" FROM events WHERE id = ?1", event);
    }

    sqlite_database database_;
};

// The file is opened all the same, keeps its plain index, and the log has the warning word for
// word.
// Proves: S3
TEST_F(SqliteRepair, OpensAnywayAndWarns) {
    std::string logged;
    set_log_sink([&logged](log_level, std::string_view line) { logged += line; });
    database_.reopen();
    EXPECT_THAT(
        logged,
        HasSubstr("idx_events_room_index is not UNIQUE — duplicate (room_id, index) rows exist, so"
                  " multi-process event-index safety is NOT enforced. Deduplicate the events"
                  " table, then recreate the index UNIQUE.")
    );
    const ops::store_figures figures = database_.run(ops::read_figures{}).value();
    EXPECT_FALSE(figures.index_is_unique);
    EXPECT_EQ(figures.duplicate_rows, 2);
}

// A plain index without duplicates is made unique on opening, without a word.
// Proves: S2, S3 (rk:P6)
TEST_F(SqliteRepair, MakesTheIndexUniqueWhenNothingStandsAgainstIt) {
    database_.sql("UPDATE events SET \"index\" = 10 + seq WHERE room_id = 'dirty'");
    database_.reopen();
    EXPECT_TRUE(database_.run(ops::read_figures{}).value().index_is_unique);
}

// Before the repair a commit that would store one more duplicate is refused, although no index
// refuses it.
// Proves: R2, S3
TEST_F(SqliteRepair, StoresNoFurtherDuplicate) {
    set_log_sink([](log_level, std::string_view) {});
    ops::commit batch = database_.batch("dirty").add(make_message("f")).take();
    batch.expected_next = event_index{2};
    EXPECT_EQ(database_.run(batch).error(), errc::duplicate_index);
    EXPECT_EQ(database_.number("SELECT count(*) FROM events"), 7);
}

// A dry run counts and changes nothing.
// Proves: S4 (rk:P4)
TEST_F(SqliteRepair, DryRunChangesNothing) {
    const auto found = dedupe(true);
    EXPECT_EQ(found.action, "dry_run");
    EXPECT_EQ(found.duplicate_rows, 2);
    EXPECT_EQ(found.affected_rooms, 1);
    EXPECT_FALSE(found.now_unique);
    EXPECT_EQ(index_of("a"), 0);
    EXPECT_EQ(index_of("c"), 0);
    EXPECT_EQ(database_.get("dirty").timeline_epoch, 0);
}

// The repair numbers the room's events 0 to 4 by index, time and id, fixes the counters, raises
// the epoch, and leaves other rooms alone; afterwards the index refuses duplicates.
// Proves: S4, R2 (rk:P5)
TEST_F(SqliteRepair, RenumbersAffectedRooms) {
    const auto repaired = dedupe(false);
    EXPECT_EQ(repaired.action, "repaired");
    EXPECT_EQ(repaired.duplicate_rows, 2);
    EXPECT_EQ(repaired.affected_rooms, 1);
    EXPECT_TRUE(repaired.now_unique);
    EXPECT_THAT(database_.ids_of("dirty"), ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_EQ(index_of("a"), 0);
    EXPECT_EQ(index_of("e"), 4);
    const room dirty = database_.get("dirty");
    EXPECT_EQ(dirty.event_count, 5);
    EXPECT_EQ(dirty.latest_index, event_index{4});
    EXPECT_EQ(dirty.next_index, event_index{5});
    EXPECT_EQ(dirty.timeline_epoch, 1);
    EXPECT_EQ(database_.get("clean").timeline_epoch, 0);

    database_.db().run("UPDATE events SET \"index\" = 0 WHERE id = 'b'");
    EXPECT_EQ(database_.db().failure(), errc::duplicate_index);
}

// The next commit of a repaired room works, and so does that of a room whose counters only lagged
// behind.
// Proves: S4, R1
TEST_F(SqliteRepair, LetsTheNextCommitThrough) {
    database_.sql(
        "UPDATE rooms SET event_count = 0, latest_index = -1, next_index = 0 WHERE id = 'clean'"
    );
    (void)dedupe(false);
    database_.commit_messages("dirty", {"f"});
    database_.commit_messages("clean", {"z"});
    EXPECT_EQ(index_of("f"), 5);
    EXPECT_EQ(index_of("z"), 2);
    EXPECT_EQ(database_.get("clean").event_count, 3);
}

// Cursor and read markers stay behind the same events, whatever their indexes are now.
// Proves: S4, D3, R15
TEST_F(SqliteRepair, MovesCursorAndMarkersAlong) {
    database_.sql(
        "UPDATE room_cursors SET delivered_index = 0 WHERE room_id = 'dirty';"
        "INSERT INTO read_markers VALUES ('dirty', '', 'none', -1), ('dirty', '', 'first', 0),"
        " ('dirty', '', 'gap', 2), ('dirty', '', 'all', 3)"
    );
    (void)dedupe(false);
    EXPECT_EQ(database_.get("dirty").delivered_index, event_index{2});
    const auto marker = [&](const char* reader) {
        return database_.number("SELECT event_index FROM read_markers WHERE reader = ?1", reader);
    };
    EXPECT_EQ(marker("none"), -1);
    EXPECT_EQ(marker("first"), 2);
    EXPECT_EQ(marker("gap"), 3);
    EXPECT_EQ(marker("all"), 4);
}

// Delivery rows and items of the outbound queue go with their event, so that the lane finds them.
// Proves: S4, D1
TEST_F(SqliteRepair, MovesDeliveriesAlong) {
    database_.sql(
        "INSERT INTO deliveries VALUES ('dirty', 3, 'row', 'e', 1, 'sms', '', 1, 0, 0, 'w', '', '',"
        " '', 0);INSERT INTO deliveries VALUES ('dirty', 2, 'gone', 'erased', 1, 'sms', '', 6, 0,"
        " 0, 'w', '', '', '', 0);INSERT INTO outbound_queue VALUES (1, 'dirty', 'sms', '', 'e', 3,"
        " 'row', 0, 0, '', 1)"
    );
    (void)dedupe(false);
    const auto lane = database_.run(ops::load_lane{room_id{"dirty"}, event_index{4}, 16}).value();
    ASSERT_EQ(lane.size(), 1U);
    ASSERT_EQ(lane[0].rows.size(), 1U);
    EXPECT_EQ(lane[0].rows[0].id, delivery_id{"row"});
    EXPECT_EQ(database_.number("SELECT \"index\" FROM outbound_queue"), 4);
    EXPECT_EQ(database_.number("SELECT count(*) FROM deliveries"), 1);
}

// On a file that is in order there is nothing to repair.
// Proves: S4 (rk:P6)
TEST_F(SqliteRepair, DoesNothingOnACleanFile) {
    (void)dedupe(false);
    const auto again = dedupe(false);
    EXPECT_EQ(again.action, "noop");
    EXPECT_EQ(again.duplicate_rows, 0);
    EXPECT_TRUE(again.now_unique);
}

// The repair fails half way: nothing of it is stored, and the index is as it was.
// Proves: S4
TEST_F(SqliteRepair, IsAllOrNothing) {
    database_.sql(
        "CREATE TRIGGER stop BEFORE UPDATE ON read_markers BEGIN SELECT RAISE(ABORT, 'stop'); END;"
        "INSERT INTO read_markers VALUES ('dirty', '', 'reader', 0)"
    );
    EXPECT_FALSE(database_.run(ops::dedupe_event_indices{false}));
    EXPECT_EQ(index_of("a"), 0);
    EXPECT_EQ(index_of("c"), 0);
    EXPECT_EQ(database_.get("dirty").event_count, 2);
    EXPECT_FALSE(database_.run(ops::read_figures{}).value().index_is_unique);
}

}  // namespace

}  // namespace convene::sqlite
