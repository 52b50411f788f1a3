// SPDX-License-Identifier: Apache-2.0
// Group commit: operations that share a transaction share nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sqlite_database.hpp"

namespace convene::sqlite {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SqliteGroup : public testing::Test {
   protected:
    SqliteGroup() {
        for (const char* id : {"a", "b", "c"}) {
            database_.create(id);
        }
    }

    /// A commit that has written its event when it finds that it can't be stored.
    [[nodiscard]] ops::commit late_failure(const std::string& room) {
        ops::commit batch = database_.batch(room).add(make_message(room + "-lost")).take();
        batch.changes.push_back({event_id{"nobody"}, std::nullopt});
        return batch;
    }

    [[nodiscard]] ops::commit message(const std::string& room) {
        return database_.batch(room).add(make_message(room + "-kept")).take();
    }

    sqlite_database database_;
};

// Commits of three rooms in one group are all stored, each with its own answer.
// Proves: S5, R1
TEST_F(SqliteGroup, StoresAllOfIt) {
    const auto a = typed(message("a"));
    const auto b = typed(message("b"));
    const auto c = typed(message("c"));
    const auto outcome = database_.run_group({a, b, c});
    EXPECT_EQ(outcome.count, 3U);
    EXPECT_TRUE(outcome.committed);
    EXPECT_TRUE(a->take() && b->take() && c->take());
    database_.reopen();
    EXPECT_THAT(database_.ids_of("a"), ElementsAre("a-kept"));
    EXPECT_THAT(database_.ids_of("c"), ElementsAre("c-kept"));
}

// One operation of a group fails after it has written: what it wrote is gone, the others are
// stored.
// Proves: S5, R1, R3
TEST_F(SqliteGroup, UndoesAFailedOperationAlone) {
    const auto before = typed(message("a"));
    const auto failed = typed(late_failure("b"));
    const auto after = typed(message("c"));
    std::vector<std::shared_ptr<operation>> left{before, failed, after};
    while (!left.empty()) {
        const auto outcome = database_.run_group(left);
        ASSERT_TRUE(outcome.committed);
        left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(outcome.count));
    }
    EXPECT_TRUE(before->take());
    EXPECT_EQ(failed->take().error(), errc::target_event_not_found);
    EXPECT_TRUE(after->take());
    EXPECT_THAT(database_.ids_of("a"), ElementsAre("a-kept"));
    EXPECT_THAT(database_.ids_of("b"), IsEmpty());
    EXPECT_THAT(database_.ids_of("c"), ElementsAre("c-kept"));
    EXPECT_EQ(database_.get("b").next_index, event_index{0});
}

// Of two commits decided on the same room row in one group, the second is refused and changes
// nothing.
// Proves: R1, R3, L7
TEST_F(SqliteGroup, LetsTheFirstOfTwoRivalsWin) {
    const auto first = typed(database_.batch("a").add(make_message("first")).take());
    const auto second = typed(database_.batch("a").add(make_message("second")).take());
    const auto outcome = database_.run_group({first, second});
    EXPECT_TRUE(outcome.committed);
    EXPECT_TRUE(first->take());
    EXPECT_EQ(second->take().error(), errc::room_changed);
    EXPECT_THAT(database_.ids_of("a"), ElementsAre("first"));
}

// The time of a group is over at once: one operation has run and is stored, the rest is left for
// the next group.
// Proves: S5
TEST_F(SqliteGroup, EndsWithItsTime) {
    const std::vector<std::shared_ptr<operation>> group{typed(message("a")), typed(message("b"))};
    group_transaction transaction{database_.db(), database_.clock()};
    const auto outcome = transaction.run(group, std::chrono::nanoseconds{0});
    EXPECT_EQ(outcome.count, 1U);
    EXPECT_TRUE(outcome.committed);
    EXPECT_THAT(database_.ids_of("a"), ElementsAre("a-kept"));
    EXPECT_THAT(database_.ids_of("b"), IsEmpty());
}

// The disk is full in the middle of a group: whatever was answered with success is stored, nothing
// of the others is, and with room on the disk it goes on.
// Proves: S5
TEST_F(SqliteGroup, SurvivesAFullDisk) {
    const std::int64_t pages = database_.number("PRAGMA page_count");
    database_.sql("PRAGMA max_page_count = " + std::to_string(pages + 2));
    const auto small = typed(message("a"));
    const std::string body(200'000, 'x');
    const auto large = typed(database_.batch("b").add(make_message("large", body)).take());
    const auto outcome = database_.run_group({small, large});

    const bool large_failed = !outcome.committed || !large->take();
    EXPECT_TRUE(large_failed);
    EXPECT_THAT(database_.ids_of("b"), IsEmpty());
    EXPECT_EQ(database_.get("b").next_index, event_index{0});
    const bool small_was_acknowledged = outcome.committed && small->take();
    EXPECT_EQ(database_.ids_of("a").size(), small_was_acknowledged ? 1U : 0U);
    EXPECT_EQ(database_.get("a").event_count, small_was_acknowledged ? 1 : 0);

    database_.sql("PRAGMA max_page_count = 1073741823");
    EXPECT_TRUE(database_.run(database_.batch("b").add(make_message("large", body)).take()));
    EXPECT_THAT(database_.ids_of("b"), ElementsAre("large"));
}

// Another connection holds the database while a group wants to begin: all of it is answered with a
// code that says that trying again may help, and nothing is stored.
// Proves: S5
TEST_F(SqliteGroup, AnswersBusyWhenAnotherWrites) {
    const std::vector<std::shared_ptr<operation>> group{typed(message("a")), typed(message("b"))};
    const auto other = connection::open(database_.path(), open_mode::read_write).value();
    other->run("BEGIN IMMEDIATE");
    const auto outcome = database_.run_group(group);
    EXPECT_EQ(outcome.count, 2U);
    EXPECT_EQ(outcome.committed.error(), errc::store_busy);
    EXPECT_EQ(outcome.committed.error(), condition::retryable);
    other->roll_back();
    EXPECT_THAT(database_.ids_of("a"), IsEmpty());
}

}  // namespace

}  // namespace convene::sqlite
