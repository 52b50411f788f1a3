// SPDX-License-Identifier: Apache-2.0
// Tests of what a message costs on PostgreSQL: statements and groups, counted before they are sent.
#include "store/postgres/room_commit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/store_fixtures.hpp"

namespace convene::postgres {

namespace {

std::size_t count_groups(const request& sent) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sent.statements(), &request::statement::ends_group)
    );
}

/// A batch as a busy room has it, decided on a room that was just read.
ops::commit busy_batch(const room& read, std::size_t events) {
    batch_on batch{read};
    for (std::size_t i = 0; i < events; ++i) {
        room_event event = make_message("e" + std::to_string(i));
        event.idempotency_key = "key" + std::to_string(i);
        batch.add(event).deliver_to("sms").deliver_to("mail");
    }
    return batch.take();
}

// The read under the lock: room with organisation, keys, deleted keys, all behind the statement that takes the lock. The
// write: one statement however many events there are, then the unlock in a group of its own. With the lock that makes
// six statements in two round trips.
// Proves: R1, L7
TEST(RoomCommit, IsSixStatementsInFourGroups) {
    const room read = make_room("r");
    const request head = head_request({acme(), read.id, {"a", "b"}});
    EXPECT_EQ(head.statements().size(), 3u);
    EXPECT_EQ(count_groups(head), 0u) << "they follow the lock as one group";

    for (const std::size_t events : {1u, 128u}) {
        request sent = commit_request(busy_batch(read, events), read, wall_time{});
        EXPECT_EQ(sent.statements().size(), 1u) << events;
        add_unlock(&sent, 7);
        EXPECT_EQ(sent.statements().size(), 2u) << events;
        EXPECT_EQ(count_groups(sent), 2u) << events;
    }
}

// Without keys nobody looks for any.
TEST(RoomCommit, ReadsOneRowWithoutKeys) {
    EXPECT_EQ(head_request({acme(), room_id{"r"}, {}}).statements().size(), 1u);
}

// The text of the write does not depend on how much is written, but for one event alone, which is written without arrays:
// few texts are prepared for a connection, each once.
TEST(RoomCommit, PreparesFewTextsForAnyBatch) {
    const room read = make_room("r");
    const auto text_for = [&read](std::size_t events) {
        return commit_request(busy_batch(read, events), read, wall_time{}).statements().front().sql;
    };
    EXPECT_EQ(text_for(2), text_for(64));
    EXPECT_EQ(text_for(1).find("FROM r, unnest((?11)"), std::string::npos);
    EXPECT_NE(text_for(2).find("FROM r, unnest((?11)"), std::string::npos);
}

// The cursor is touched only for events that nobody has to deliver: rows tell of the others whom the room waits for.
// Proves: D7
TEST(RoomCommit, LeavesTheCursorAloneWhereRowsTell) {
    const room read = make_room("r");
    const auto text_of = [&read](ops::commit batch) {
        return commit_request(batch, read, wall_time{}).statements().front().sql;
    };
    ops::commit nobodys = batch_on{read}.add(make_message("a")).take();
    EXPECT_NE(text_of(std::move(nobodys)).find("UPDATE room_cursors"), std::string::npos);
    EXPECT_EQ(text_of(busy_batch(read, 1)).find("UPDATE room_cursors"), std::string::npos);
}

// A driver's append is part of the room's transaction and costs no round trip of its own: the session's row is locked
// first, what is shared only where it changes, and the turn's input goes last.
// Proves: A4, N3
TEST(RoomCommit, CarriesADriversAppendInItsGroup) {
    const room read = make_room("r");
    const auto texts_of = [&read](state_delta delta, const char* turn) {
        ops::commit batch = busy_batch(read, 2);
        batch.session = {{3, std::move(delta), turn_id{turn}}, {3, {}, {}}};
        const request sent = commit_request(batch, read, wall_time{});
        EXPECT_EQ(count_groups(sent), 1u);
        std::string texts;
        for (const request::statement& one : sent.statements()) {
            texts += one.sql.find("FOR UPDATE") != std::string::npos     ? "guard "
                     : one.sql.starts_with("INSERT INTO user_state")     ? "user "
                     : one.sql.starts_with("INSERT INTO app_state")      ? "app "
                     : one.sql.starts_with("UPDATE sessions")            ? "session "
                     : one.sql.find("UPDATE rooms") != std::string::npos ? "write "
                     : one.sql.starts_with("UPDATE turns")               ? "turn "
                                                                         : one.sql;
        }
        return texts;
    };
    EXPECT_EQ(texts_of({}, ""), "guard session write ");
    const json_text one = json_text::trusted(R"({"k":1})");
    EXPECT_EQ(texts_of({one, {}, {}}, ""), "guard session write ");
    EXPECT_EQ(texts_of({one, one, one}, "t"), "guard user app session write turn ");
}

// Framework events are stored last: their order is a lock that all who store some wait for.
// Proves: R19
TEST(RoomCommit, TakesTheOrderOfNoticesLast) {
    const room read = make_room("r");
    ops::commit batch = busy_batch(read, 1);
    batch.tasks.emplace_back();
    batch.tasks.back().room = read.id;
    batch.notices.emplace_back();
    batch.row_ends.emplace_back();
    const request sent = commit_request(batch, read, wall_time{});
    const auto& all = sent.statements();
    ASSERT_EQ(all.size(), 6u);
    EXPECT_NE(all[4].sql.find("pg_advisory_xact_lock"), std::string::npos);
    EXPECT_NE(all[5].sql.find("framework_events"), std::string::npos);
    EXPECT_EQ(count_groups(sent), 1u) << "all of it or nothing";
}

}  // namespace

}  // namespace convene::postgres
