// SPDX-License-Identifier: Apache-2.0
// Threads: where replies hang.
#include "room/threads.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace convene {
namespace {

room_event reply_to(std::string_view parent) {
    room_event event = said_by_bob("reply");
    event.parent = event_id{std::string{parent}};
    return event;
}

// An event that replies to nothing stays at the top level, without a word.
// Proves: R12
TEST(Threads, LeavesTopLevelEventsAlone) {
    const scene room;
    room_event event = said_by_bob("event");
    EXPECT_FALSE(place_in_thread(room.facts(), &event));
    EXPECT_TRUE(event.parent.empty());
}

// A reply to a top-level event hangs below it.
// Proves: R12 (rk:C16)
TEST(Threads, HangsAReplyBelowItsParent) {
    scene room;
    room.referenced.push_back(said_by_ann("root"));
    room_event event = reply_to("root");
    EXPECT_FALSE(place_in_thread(room.facts(), &event));
    EXPECT_EQ(event.parent, event_id{"root"});
}

// A reply to a reply hangs on the root: there are two levels.
// Proves: R12 (rk:C16)
TEST(Threads, HangsAReplyToAReplyOnTheRoot) {
    scene room;
    room.referenced.push_back(said_by_ann("answer"));
    room.referenced.back().parent = event_id{"root"};
    room_event event = reply_to("answer");
    EXPECT_FALSE(place_in_thread(room.facts(), &event));
    EXPECT_EQ(event.parent, event_id{"root"});
}

// The parent may be an event of the same batch, which has no row yet.
// Proves: R12
TEST(Threads, SeesParentsOfTheSameBatch) {
    scene room;
    room.earlier.push_back(said_by_ann("root"));
    room_event event = reply_to("root");
    EXPECT_FALSE(place_in_thread(room.facts(), &event));
    EXPECT_EQ(event.parent, event_id{"root"});
}

// A parent that is missing or in another room (nobody loaded it) costs the place in the thread, not
// the event, and a notice says which parent it was.
// Proves: R12 (rk:C16)
TEST(Threads, PutsAnOrphanAtTheTopLevelWithANotice) {
    const scene room;
    room_event event = reply_to("gone");
    const auto notice = place_in_thread(room.facts(), &event);
    ASSERT_TRUE(notice);
    EXPECT_TRUE(event.parent.empty());
    EXPECT_EQ(notice->type, "thread_parent_not_found");
    EXPECT_EQ(notice->organization, organization_id{"acme"});
    EXPECT_EQ(notice->room, room_id{"room"});
    EXPECT_EQ(notice->event, event_id{"reply"});
    EXPECT_EQ(notice->data.str(), R"({"parent":"gone"})");
}

// Nobody sees a blocked event, so nothing can hang below it.
// Proves: R12, R10
TEST(Threads, TreatsABlockedParentAsMissing) {
    scene room;
    room.referenced.push_back(said_by_ann("root"));
    room.referenced.back().status = event_status::blocked;
    room_event event = reply_to("root");
    EXPECT_TRUE(place_in_thread(room.facts(), &event));
    EXPECT_TRUE(event.parent.empty());
}

}  // namespace
}  // namespace convene
