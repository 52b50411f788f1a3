// SPDX-License-Identifier: Apache-2.0
// What every store promises about idempotency keys, of events that are stored and of events that
// were deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Keys : public conformance {
   protected:
    static room_event keyed(const std::string& id, const std::string& key) {
        room_event event = make_message(id);
        event.idempotency_key = key;
        event.request_hash = "hash-of-" + key;
        return event;
    }

    std::vector<ops::key_hit> look_up(const std::string& room, std::vector<std::string> keys) {
        return must(ops::load_room_head{acme(), room_id{room}, std::move(keys)}).hits;
    }

    std::optional<ops::key_hit> look_up_inbound(const std::string& key) {
        return must(ops::find_inbound_key{acme(), channel_id{"sms"}, key});
    }

    void commit_inbound(const std::string& room, const std::string& id, const std::string& key) {
        batch_on arriving = batch(room);
        arriving.add(make_message(id));
        arriving.commit().inbound_keys.push_back(
            {channel_id{"sms"}, key, event_id{id}, "hash-of-" + key}
        );
        must(arriving.take());
    }
};

CONVENE_ON_EVERY_STORE(Keys);

// The room head answers for every known key the event stored under it, in the order asked, and
// says nothing about others.
// Proves: R8 (rk:C11)
TEST_P(Keys, FindTheStoredEvent) {
    create("r");
    must(batch("r").add(keyed("a", "first")).add(keyed("b", "second")).take());
    const auto hits = look_up("r", {"second", "unknown", "first", "second", ""});
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_EQ(hits[0].key, "second");
    EXPECT_EQ(hits[0].request_hash, "hash-of-second");
    EXPECT_EQ(describe(hits[0].event), describe(std::optional{event("r", "b")}));
    EXPECT_EQ(hits[1].event->id, event_id{"a"});
}

// A key means something only in its room.
// Proves: R8 (rk:C11)
TEST_P(Keys, BelongToTheirRoom) {
    create("r");
    create("other");
    must(batch("r").add(keyed("a", "key")).take());
    EXPECT_THAT(look_up("other", {"key"}), IsEmpty());
    must(batch("other").add(keyed("b", "key")).take());
    EXPECT_EQ(look_up("other", {"key"}).front().event->id, event_id{"b"});
}

// Events without a key don't exclude each other, and the empty key is not looked up.
// Proves: R8
TEST_P(Keys, AreOptional) {
    create("r");
    commit_messages("r", {"a", "b"});
    EXPECT_THAT(look_up("r", {""}), IsEmpty());
}

// The head of another organisation's room is not there.
// Proves: X1
TEST_P(Keys, AreHiddenFromOtherOrganizations) {
    create("r");
    must(batch("r").add(keyed("a", "key")).take());
    commit_inbound("r", "b", "inbound");
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::load_room_head{globex, room_id{"r"}, {"key"}}), errc::not_found);
    EXPECT_FALSE(must(ops::find_inbound_key{globex, channel_id{"sms"}, "inbound"}).has_value());
}

// An inbound key is found before a room is known, by its channel.
// Proves: R8
TEST_P(Keys, FindInboundEventsByChannel) {
    create("r");
    commit_inbound("r", "a", "inbound");
    const auto hit = look_up_inbound("inbound");
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->request_hash, "hash-of-inbound");
    ASSERT_TRUE(hit->event.has_value());
    EXPECT_EQ(hit->event->id, event_id{"a"});
    EXPECT_EQ(hit->event->room, room_id{"r"});
    EXPECT_FALSE(look_up_inbound("other").has_value());
    EXPECT_FALSE(must(ops::find_inbound_key{acme(), channel_id{"email"}, "inbound"}).has_value());
}

// The key of a hard-deleted event answers "deleted" for 24 h of the store's clock, then it is
// forgotten.
// Proves: R8
TEST_P(Keys, RememberDeletedEventsForADay) {
    create("r");
    must(batch("r").add(keyed("a", "key")).take());
    commit_inbound("r", "b", "inbound");
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}});
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"b"}});

    clock().advance(24h - 1us);
    const auto hits = look_up("r", {"key"});
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(hits.front().request_hash, "hash-of-key");
    EXPECT_FALSE(hits.front().event.has_value());
    ASSERT_TRUE(look_up_inbound("inbound").has_value());
    EXPECT_EQ(look_up_inbound("inbound")->request_hash, "hash-of-inbound");
    EXPECT_FALSE(look_up_inbound("inbound")->event.has_value());

    clock().advance(1us);
    EXPECT_THAT(look_up("r", {"key"}), IsEmpty());
    EXPECT_FALSE(look_up_inbound("inbound").has_value());
}

// Once forgotten, a key can be used again, and then names the new event.
// Proves: R8
TEST_P(Keys, CanBeUsedAgainOnceForgotten) {
    create("r");
    must(batch("r").add(keyed("a", "key")).take());
    commit_inbound("r", "b", "inbound");
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}});
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"b"}});
    clock().advance(24h);
    must(batch("r").add(keyed("c", "key")).take());
    commit_inbound("r", "d", "inbound");
    EXPECT_EQ(look_up("r", {"key"}).front().event->id, event_id{"c"});
    EXPECT_EQ(look_up_inbound("inbound")->event->id, event_id{"d"});

    must(ops::delete_event{acme(), room_id{"r"}, event_id{"c"}});
    EXPECT_FALSE(look_up("r", {"key"}).front().event.has_value());
}

// Replies that a deletion takes with them are remembered by their keys as well.
// Proves: R8, R13
TEST_P(Keys, RememberDeletedReplies) {
    create("r");
    room_event reply = keyed("reply", "key");
    reply.parent = event_id{"root"};
    must(batch("r").add(make_message("root")).add(reply).take());
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"root"}});
    const auto hits = look_up("r", {"key"});
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_FALSE(hits.front().event.has_value());
}

// Keys with quotes, NUL-free control characters and any script are kept apart byte by byte.
// Proves: R8, R16
TEST_P(Keys, AreComparedByteByByte) {
    create("r");
    must(batch("r").add(keyed("a", "k'); DROP TABLE events;--")).add(keyed("b", "Ключ")).take());
    must(batch("r").add(keyed("c", "ключ")).add(keyed("d", " Ключ")).take());
    const auto hits = look_up("r", {"Ключ", "k'); DROP TABLE events;--"});
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_EQ(hits[0].event->id, event_id{"b"});
    EXPECT_EQ(hits[1].event->id, event_id{"a"});
}

// Keys, live and deleted, are kept over a restart.
// Proves: R8, S1
TEST_P(Keys, SurviveARestart) {
    create("r");
    must(batch("r").add(keyed("a", "live")).add(keyed("b", "deleted")).take());
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"b"}});
    harness().restart();
    const auto hits = look_up("r", {"live", "deleted"});
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_TRUE(hits[0].event.has_value());
    EXPECT_FALSE(hits[1].event.has_value());
}

}  // namespace

}  // namespace convene
