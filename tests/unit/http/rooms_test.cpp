// SPDX-License-Identifier: Apache-2.0
// Rooms, their channels and participants over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/cursor.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

std::vector<std::string> ids_in(const seen_reply& reply, std::string_view list) {
    std::vector<std::string> ids;
    for (const std::string_view one : reply.list(list)) {
        ids.push_back(find_text(one, "id").value_or(""));
    }
    return ids;
}

using testing::ElementsAre;
using testing::IsEmpty;

// A user who makes a room owns it, and the room has the web channel where none was named.
// Proves: X1
TEST(HttpRooms, TheMakerOwnsTheRoom) {
    http_scene scene;
    const seen_reply made = scene.post(
        "/api/v1/rooms",
        R"({"name":"Kitchen","external_id":"k-1","metadata":{"floor":2},)"
        R"("timers":{"inactive_after_seconds":60},"responses":"addressed_only"})"
    );
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.header("location"), "/api/v1/rooms/" + made.text("id"));
    EXPECT_EQ(made.text("name"), "Kitchen");
    EXPECT_EQ(made.text("metadata"), R"({"floor":2,"name":"Kitchen"})");
    EXPECT_EQ(made.text("timers"), R"({"inactive_after_seconds":60,"closed_after_seconds":null})");
    EXPECT_EQ(made.text("responses"), "addressed_only");
    ASSERT_EQ(made.list("channels").size(), 1U);
    EXPECT_EQ(find_text(made.list("channels")[0], "channel_id"), "web");
    ASSERT_EQ(made.list("participants").size(), 1U);
    EXPECT_EQ(find_text(made.list("participants")[0], "id"), "ann");
    EXPECT_EQ(find_text(made.list("participants")[0], "role"), "owner");
}

// A room that one may not see is a room that is not there, whichever way one asks.
// Proves: X1
TEST(HttpRooms, AForeignRoomIsNotThere) {
    http_scene scene;
    scene.make_room();
    scene.add_user("carl", user_role::member);
    for (const char* who : {"carl", "eve"}) {
        EXPECT_EQ(scene.get("/api/v1/rooms/r", who).code(), "NOT_FOUND") << who;
        EXPECT_EQ(scene.patch("/api/v1/rooms/r", R"({"name":"x"})", who).status, 404) << who;
        EXPECT_EQ(scene.erase("/api/v1/rooms/r", who).status, 404) << who;
        EXPECT_EQ(scene.say("x", who).status, 404) << who;
        EXPECT_EQ(scene.get("/api/v1/rooms/r/events", who).status, 404) << who;
        EXPECT_EQ(scene.get("/api/v1/rooms/r/tasks", who).status, 404) << who;
        EXPECT_THAT(ids_in(scene.get("/api/v1/rooms", who), "rooms"), IsEmpty()) << who;
    }
    for (const char* who : {"ann", "bob", "olga", "token"}) {
        EXPECT_EQ(scene.get("/api/v1/rooms/r", who).status, 200) << who;
        EXPECT_THAT(ids_in(scene.get("/api/v1/rooms", who), "rooms"), ElementsAre("r")) << who;
    }
}

// Who left sees the room no more, at once.
// Proves: X1
TEST(HttpRooms, WhoLeftSeesItNoMore) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.erase("/api/v1/rooms/r/participants/bob", "bob").status, 204);
    EXPECT_EQ(scene.get("/api/v1/rooms/r", "bob").status, 404);
    EXPECT_THAT(ids_in(scene.get("/api/v1/rooms", "bob"), "rooms"), IsEmpty());
    EXPECT_EQ(scene.post("/api/v1/rooms/r/participants", R"({"id":"bob"})").status, 201);
    EXPECT_EQ(scene.get("/api/v1/rooms/r", "bob").status, 200);
}

// Lists come in pages, newest first; the cursor leads on to the end.
// Proves: X1
TEST(HttpRooms, AreListedInPages) {
    http_scene scene;
    for (const char* id : {"a", "b", "c", "d", "e"}) {
        ASSERT_EQ(
            scene.post("/api/v1/rooms", R"({"id":")" + std::string{id} + R"("})").status, 201
        );
    }
    ASSERT_EQ(scene.post("/api/v1/rooms/d/close", "").text("status"), "closed");
    const seen_reply first = scene.get("/api/v1/rooms?limit=2");
    EXPECT_THAT(ids_in(first, "rooms"), ElementsAre("e", "d"));
    const seen_reply second = scene.get(
        "/api/v1/rooms?limit=2&cursor=" + first.text("next_cursor")
    );
    EXPECT_THAT(ids_in(second, "rooms"), ElementsAre("c", "b"));
    const seen_reply last = scene.get("/api/v1/rooms?limit=2&cursor=" + second.text("next_cursor"));
    EXPECT_THAT(ids_in(last, "rooms"), ElementsAre("a"));
    EXPECT_EQ(last.text("next_cursor"), "null");
    EXPECT_THAT(ids_in(scene.get("/api/v1/rooms?status=closed"), "rooms"), ElementsAre("d"));
}

// Whoever wants the order of creation gets it, by pages that later rooms do not move.
TEST(HttpRooms, AreListedByCreationToo) {
    http_scene scene;
    for (const char* id : {"r1", "r2", "r3"}) {
        scene.make_room(id);
    }
    const seen_reply first = scene.get("/api/v1/rooms?limit=2&oldest_first=true");
    EXPECT_THAT(ids_in(first, "rooms"), ElementsAre("r1", "r2"));
    const seen_reply last = scene.get(
        "/api/v1/rooms?limit=2&oldest_first=true&cursor=" + first.text("next_cursor")
    );
    EXPECT_THAT(ids_in(last, "rooms"), ElementsAre("r3"));
    EXPECT_EQ(last.text("next_cursor"), "null");
}

// The caller's own name of a room finds it, for those who may see it.
// Proves: X1
TEST(HttpRooms, AreFoundByExternalId) {
    http_scene scene;
    const std::string id = scene.post("/api/v1/rooms", R"({"external_id":"k/1"})").text("id");
    scene.make_room();
    const std::string named = "/api/v1/rooms?external_id=k%2F1";
    for (const char* who : {"ann", "olga", "token"}) {
        EXPECT_THAT(ids_in(scene.get(named, who), "rooms"), ElementsAre(id)) << who;
    }
    EXPECT_THAT(ids_in(scene.get(named, "bob"), "rooms"), IsEmpty());
    EXPECT_THAT(ids_in(scene.get(named, "eve"), "rooms"), IsEmpty());
    EXPECT_THAT(ids_in(scene.get(named + "&status=closed"), "rooms"), IsEmpty());
    EXPECT_THAT(ids_in(scene.get("/api/v1/rooms?external_id=k"), "rooms"), IsEmpty());
}

// A cursor is what we gave out, or refused.
// Proves: R16
TEST(Cursor, IsReadBackOrRefused) {
    for (const std::string_view position : {"", "r", "room 1", "部屋１", "\xF0\x9F\x98\x80~"}) {
        EXPECT_EQ(decode_cursor(encode_cursor(position)), position);
    }
    EXPECT_EQ(decode_cursor("!"), std::nullopt);
    EXPECT_EQ(decode_cursor("AAAA"), std::nullopt);
}

// The same key makes one room; with another external id it is refused.
// Proves: R8
TEST(HttpRooms, AKeyMakesOneRoom) {
    http_scene scene;
    const auto make = [&](std::string body, std::string who) {
        http_request asked = http_scene::request(
            http_method::post, "/api/v1/rooms", std::move(who), std::move(body)
        );
        asked.headers.add("idempotency-key", "k");
        return scene.ask(std::move(asked));
    };
    const seen_reply first = make(R"({"external_id":"x"})", "ann");
    const seen_reply again = make(R"({"external_id":"x"})", "ann");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("id"), first.text("id"));
    EXPECT_EQ(make(R"({"external_id":"y"})", "ann").code(), "IDEMPOTENCY_KEY_REUSED");
    EXPECT_EQ(make("{}", "bob").status, 201) << "another caller's key is another key";
}

// A taken id or external id is a conflict; a channel that nobody registered is named.
// Proves: R6
TEST(HttpRooms, WhatCannotBeMadeIsTold) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.post("/api/v1/rooms", R"({"id":"r"})").code(), "ALREADY_EXISTS");
    const seen_reply unknown = scene.post(
        "/api/v1/rooms", R"({"channels":[{"channel_id":"web"},{"channel_id":"fax"}]})"
    );
    EXPECT_EQ(unknown.code(), "CHANNEL_NOT_REGISTERED");
    EXPECT_EQ(unknown.fault(), "channels[1].channel_id: unknown_value");
    EXPECT_EQ(
        scene.post("/api/v1/rooms", R"({"channels":[{"channel_id":"web","visibility":"a,,b"}]})")
            .fault(),
        "channels[0].visibility: malformed"
    );
}

// A patch changes what it names; `null` unsets. Members who are no owners may not.
// Proves: R5, X1
TEST(HttpRooms, ArePatched) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.patch("/api/v1/rooms/r", R"({"name":"x"})", "bob").code(), "FORBIDDEN");
    seen_reply changed = scene.patch(
        "/api/v1/rooms/r",
        R"({"metadata":{"a":1,"b":{"c":2}},"timers":{"inactive_after_seconds":5,"closed_after_seconds":9}})"
    );
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(changed.text("metadata"), R"({"name":"Kitchen","a":1,"b":{"c":2}})");
    changed = scene.patch(
        "/api/v1/rooms/r",
        R"({"name":"","metadata":{"a":null},"timers":{"inactive_after_seconds":null}})"
    );
    EXPECT_EQ(changed.text("name"), "");
    EXPECT_EQ(changed.text("metadata"), R"({"b":{"c":2}})");
    EXPECT_EQ(
        changed.text("timers"), R"({"inactive_after_seconds":null,"closed_after_seconds":9})"
    );
    EXPECT_EQ(
        scene.patch("/api/v1/rooms/r", R"({"timers":{"inactive_after_seconds":0}})").fault(),
        "timers.inactive_after_seconds: out_of_range"
    );
}

// A closed room refuses events and can be read; reopened it takes them. A deleted one is gone.
// Proves: R4
TEST(HttpRooms, CloseReopenAndGo) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.say("before").status, 201);
    EXPECT_EQ(scene.post("/api/v1/rooms/r/close", "", "bob").status, 403);
    EXPECT_EQ(scene.post("/api/v1/rooms/r/close", "{}").text("status"), "closed");
    EXPECT_EQ(scene.say("x").code(), "ROOM_CLOSED");
    EXPECT_EQ(scene.post("/api/v1/rooms/r/pause", "").code(), "ROOM_CLOSED");
    EXPECT_EQ(scene.get("/api/v1/rooms/r/events").list("events").size(), 1U);
    EXPECT_EQ(scene.post("/api/v1/rooms/r/archive", "").text("status"), "archived");
    EXPECT_EQ(scene.post("/api/v1/rooms/r/reopen", "").text("status"), "active");
    EXPECT_EQ(scene.say("after").text("index"), "1");
    EXPECT_EQ(scene.post("/api/v1/rooms/r/pause", "").text("status"), "paused");
    EXPECT_EQ(scene.say("again").text("index"), "2");
    EXPECT_EQ(scene.get("/api/v1/rooms/r").text("status"), "active") << "an event resumes it";
    EXPECT_EQ(scene.erase("/api/v1/rooms/r").status, 204);
    EXPECT_EQ(scene.get("/api/v1/rooms/r").status, 404);
}

// Channels are attached as they are registered, changed, muted and detached, by who manages the room.
// Proves: R10
TEST(HttpRooms, ChannelsComeAndGo) {
    http_scene scene;
    scene.add_agent("bot", agent_script{}.say("answer"));
    scene.make_room();
    const std::string channels = "/api/v1/rooms/r/channels";
    EXPECT_EQ(scene.post(channels, R"({"channel_id":"bot"})", "bob").status, 403);
    const seen_reply bot = scene.post(
        channels, R"({"channel_id":"bot","access":"read_only","visibility":"phone"})"
    );
    ASSERT_EQ(bot.status, 201) << bot.body;
    EXPECT_EQ(bot.text("kind"), "intelligence");
    EXPECT_EQ(scene.post(channels, R"({"channel_id":"bot"})").code(), "ALREADY_EXISTS");
    EXPECT_EQ(scene.post(channels, R"({"channel_id":"fax"})").code(), "CHANNEL_NOT_REGISTERED");
    const seen_reply changed = scene.patch(
        channels + "/bot",
        R"({"access":"read_write","retry":{"max_retries":7},"rate_limit":{"per_minute":2.5}})"
    );
    EXPECT_EQ(changed.text("access"), "read_write");
    EXPECT_EQ(changed.text("visibility"), "phone");
    EXPECT_EQ(changed.text("retry", "max_retries"), "7");
    EXPECT_EQ(changed.text("rate_limit", "per_minute"), "2.5");
    EXPECT_EQ(scene.patch(channels + "/bot", R"({"retry":null})").text("retry"), "null");
    EXPECT_EQ(scene.post(channels + "/bot/mute", "").text("is_muted"), "true");
    EXPECT_EQ(scene.post(channels + "/bot/unmute", "").text("is_muted"), "false");
    EXPECT_EQ(scene.get(channels, "bob").list("channels").size(), 3U);
    EXPECT_EQ(scene.erase(channels + "/bot").status, 204);
    EXPECT_EQ(scene.erase(channels + "/bot").status, 404);
    EXPECT_EQ(scene.post(channels + "/bot/mute", "").status, 404);
}

// Participants are taken in and changed by who manages the room; one changes and removes oneself.
// Proves: X1
TEST(HttpRooms, ParticipantsComeAndGo) {
    http_scene scene;
    scene.make_room();
    const std::string people = "/api/v1/rooms/r/participants";
    EXPECT_EQ(scene.post(people, R"({"id":"carl"})", "bob").status, 403);
    const seen_reply guest = scene.post(people, R"({"display_name":"Guest","role":"observer"})");
    ASSERT_EQ(guest.status, 201);
    EXPECT_EQ(guest.text("id").size(), 36U);
    EXPECT_EQ(scene.post(people, R"({"id":"bob"})").code(), "ALREADY_EXISTS");
    EXPECT_EQ(
        scene.patch(people + "/bob", R"({"display_name":"Robert"})", "bob").text("display_name"),
        "Robert"
    );
    EXPECT_EQ(scene.patch(people + "/bob", R"({"role":"owner"})", "bob").status, 403);
    EXPECT_EQ(scene.patch(people + "/ann", R"({"display_name":"x"})", "bob").status, 403);
    EXPECT_EQ(scene.patch(people + "/bob", R"({"role":"owner"})", "ann").text("role"), "owner");
    EXPECT_EQ(scene.patch(people + "/nobody", "{}").status, 404);
    EXPECT_EQ(scene.get(people, "bob").list("participants").size(), 3U);
}

// A participant is said to be a person that the organisation knows.
// Proves: R6, X1
TEST(HttpRooms, ParticipantsAreIdentified) {
    http_scene scene;
    scene.make_room();
    const seen_reply person = scene.post(
        "/api/v1/identities",
        R"({"display_name":"Bob B.","addresses":[{"channel_type":"sms","address":"+1"}]})",
        "olga"
    );
    ASSERT_EQ(person.status, 201) << person.body;
    const std::string id = person.text("id");
    const std::string resolve = "/api/v1/rooms/r/participants/bob/resolve";
    EXPECT_EQ(scene.post(resolve, R"({"identity_id":"x"})").fault(), "identity_id: unknown_value");
    EXPECT_EQ(scene.post(resolve, R"({"identity_id":")" + id + R"("})").text("identity_id"), id);
    const std::string by_address = "/api/v1/identities/resolve?channel_type=sms&address=%2B1";
    EXPECT_EQ(scene.get(by_address, "olga").text("id"), id);
    EXPECT_EQ(scene.get(by_address, "eve").status, 404);
    EXPECT_EQ(scene.get("/api/v1/identities/" + id, "eve").status, 404);
    EXPECT_EQ(scene.get("/api/v1/identities/" + id, "ann").status, 403);
    EXPECT_EQ(
        scene.get("/api/v1/identities/resolve?channel_type=sms", "olga").fault(),
        "address: missing_field"
    );
    EXPECT_EQ(
        scene
            .post(
                "/api/v1/identities/" + id + "/addresses",
                R"({"channel_type":"email","address":"b@example.org"})",
                "olga"
            )
            .status,
        204
    );
}

}  // namespace
}  // namespace convene
