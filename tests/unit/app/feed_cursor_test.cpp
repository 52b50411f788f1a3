// SPDX-License-Identifier: Apache-2.0
// A reader's place in a room: what it gives out, where it goes on, and how it ends.
#include "app/remote/feed_cursor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/view/event_view.hpp"

namespace convene {

namespace {

std::string frame(std::string_view name, std::string_view id, std::string_view data) {
    return "id: " + std::string{id} + "\nevent: " + std::string{name} +
           "\ndata: " + std::string{data} + "\n\n";
}

std::string message(std::int64_t index) {
    room_event event;
    event.index = event_index{index};
    return frame("message", std::to_string(index), event_as_json(event).str());
}

/// A room with the events 0 to 9.
room ten_events() {
    room followed;
    followed.latest_index = event_index{9};
    return followed;
}

class feed_cursor_test : public testing::Test {
   protected:
    /// The indexes that are ready; -100 for an end.
    std::vector<std::int64_t> taken() {
        const auto events = cursor_.take();
        if (!events) {
            return {-100};
        }
        std::vector<std::int64_t> indexes;
        for (const room_event& event : *events) {
            indexes.push_back(event.index.value());
        }
        return indexes;
    }

    using indexes = std::vector<std::int64_t>;

    server_address server_{"http://here", "", "", milliseconds{0}};
    feed_cursor cursor_{server_, ten_events(), event_index{7}};
};

// Half a frame is not an event; after a break the stream goes on behind the last whole one.
// Proves: R18
TEST_F(feed_cursor_test, GoesOnBehindTheLastWholeFrame) {
    EXPECT_EQ(cursor_.position(), "7");
    const std::string next = message(9);
    cursor_.push(message(8) + next.substr(0, next.size() - 1));
    EXPECT_EQ(taken(), indexes{8});
    EXPECT_EQ(cursor_.position(), "8");
    cursor_.begin_connection();
    cursor_.push("retry: 700\n\n" + message(9) + message(10));
    EXPECT_EQ(taken(), (indexes{9, 10}));
    EXPECT_EQ(cursor_.retry(), milliseconds{700});
}

// What a server sends again is not given out again.
// Proves: R18
TEST_F(feed_cursor_test, GivesEachIndexOnce) {
    cursor_.push(message(6) + message(7) + message(8) + message(8));
    EXPECT_EQ(taken(), indexes{8});
    cursor_.push(frame("erased", "9", R"({"index":9})"));
    EXPECT_EQ(taken(), indexes{});
    EXPECT_EQ(cursor_.position(), "9") << "a hole is passed like an event";
}

// An index that is still to come is waited for, from where the server is.
TEST_F(feed_cursor_test, WaitsForWhatIsStillToCome) {
    feed_cursor ahead{server_, ten_events(), event_index{20}};
    EXPECT_EQ(ahead.position(), "9");
    ahead.push(message(10) + message(20) + message(21));
    const auto events = ahead.take();
    ASSERT_TRUE(events.has_value());
    ASSERT_EQ(events->size(), 1U);
    EXPECT_EQ(events->front().index, event_index{21});
}

// What came before an end is given out, what comes behind it is not, and the end stays.
// Proves: R18
TEST_F(feed_cursor_test, EndsWithoutAGap) {
    for (const std::string& end :
         {frame("resync", "8", R"({"from_index":0,"reason":"timeline_repaired"})"),
          frame("end", "8", R"({"reason":"access_removed"})"),
          frame("end", "8", R"({"reason":"room_deleted"})"),
          frame("message", "9", "{"),
          frame("message", "9", R"({"id":"x"})")}) {
        feed_cursor cursor{server_, ten_events(), event_index{7}};
        cursor.push(message(8) + end + message(10));
        const auto events = cursor.take();
        ASSERT_TRUE(events.has_value()) << end;
        ASSERT_EQ(events->size(), 1U) << end;
        EXPECT_FALSE(cursor.take().has_value()) << end;
        EXPECT_FALSE(cursor.take().has_value()) << end;
        EXPECT_EQ(cursor.position(), "8") << end;
    }
}

// A server that stops, or a reader that was too slow, is asked again.
TEST_F(feed_cursor_test, ComesAgainWhenItIsAskedTo) {
    for (const char* reason : {"draining", "slow"}) {
        cursor_.push(frame("end", "8", R"({"reason":")" + std::string{reason} + R"("})"));
        EXPECT_EQ(taken(), indexes{}) << reason;
        EXPECT_EQ(cursor_.position(), "8");
    }
}

// A frame without an end is an end: asking for it again would not make it shorter.
TEST_F(feed_cursor_test, EndsWhereAFrameIsTooLong) {
    cursor_.push(message(8) + "data: " + std::string(std::size_t{17} << 20U, 'x'));
    EXPECT_EQ(taken(), indexes{8});
    EXPECT_EQ(taken(), indexes{-100});
}

// Once a room was repaired, positions tell which counting of its indexes they belong to.
TEST_F(feed_cursor_test, NamesTheCounting) {
    room repaired = ten_events();
    repaired.timeline_epoch = 2;
    EXPECT_EQ((feed_cursor{server_, repaired, event_index{3}}.position()), "2-3");
}

}  // namespace

}  // namespace convene
