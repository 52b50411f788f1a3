// SPDX-License-Identifier: Apache-2.0
// Webhooks of providers: believed by their signature alone, stored once, and what they tell of deliveries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/operations/channels.hpp"
#include "unit/http/integration_scene.hpp"
#include "webhook/cause_header.hpp"

namespace convene {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

const std::string hello = R"({"sender":"555","text":"hello"})";

class Webhooks : public testing::Test {
   protected:
    Webhooks() {
        const seen_reply made = scene_.register_channel();
        id_ = made.text("channel", "id");
        secret_ = made.text("secret");
    }

    seen_reply bring(std::string body = hello, std::string key = "m1") {
        return scene_.ask(scene_.webhook(id_, std::move(body), secret_, std::move(key)));
    }

    /// Rooms of the organisation: what a refused message leaves none of.
    std::vector<std::string> rooms() {
        std::vector<std::string> ids;
        ops::list_rooms all;
        all.organization = organization_id{"acme"};
        for (const room& one : scene_.ask(all)) {
            ids.push_back(one.id.str());
        }
        return ids;
    }

    integration_scene scene_;
    std::string id_;
    std::string secret_;
};

// A signed message is stored in a room of its sender's, and the next one goes there too.
// Proves: X2, R6
TEST_F(Webhooks, BringMessages) {
    const seen_reply first = bring();
    ASSERT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(first.text("status"), "accepted");
    EXPECT_EQ(first.text("index"), "0");
    const seen_reply second = bring(
        R"({"sender":"555","content":{"type":"text","body":"again"}})", "m2"
    );
    EXPECT_EQ(second.text("room_id"), first.text("room_id"));
    EXPECT_EQ(second.text("index"), "1");
    ops::list_events all;
    all.organization = organization_id{"acme"};
    all.room = room_id{first.text("room_id")};
    const auto events = scene_.ask(all);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].source.channel.str(), id_);
    EXPECT_EQ(events[0].source.channel_type, "webhook");
    EXPECT_EQ(events[0].source.external_id, "555");
    EXPECT_EQ(readable_text(events[1].content), "again");
}

// The same `webhook-id` is the first result again; with another body it is refused. Nothing is stored twice.
// Proves: R8, X2
TEST_F(Webhooks, ARepeatIsTheFirstResult) {
    const seen_reply first = bring();
    const seen_reply again = bring();
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("replayed"), "true");
    EXPECT_EQ(again.text("event_id"), first.text("event_id"));
    EXPECT_EQ(bring(R"({"sender":"555","text":"other"})").code(), "IDEMPOTENCY_KEY_REUSED");
    EXPECT_THAT(rooms(), SizeIs(1));
}

// Unsigned, changed, old, for another channel or signed with another secret: 401, with why, and nothing is stored.
// Proves: X2
TEST_F(Webhooks, AreBelievedByTheirSignature) {
    const std::string path = "/api/v1/webhooks/webhook/" + id_;
    seen_reply refused = scene_.post(path, hello, "");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.fault(), "webhook-signature: missing_header");

    http_request changed = scene_.webhook(id_, hello, secret_);
    changed.body += ' ';
    EXPECT_EQ(scene_.ask(changed).fault(), "webhook-signature: wrong_signature");

    const http_request old = scene_.webhook(id_, hello, secret_);
    scene_.world->clock.advance(301s);
    EXPECT_EQ(scene_.ask(old).fault(), "webhook-signature: too_old");

    const std::string other = webhook_secret::generate(system_random()).text();
    EXPECT_EQ(scene_.ask(scene_.webhook(id_, hello, other)).status, 401);
    const std::string neighbour = scene_.register_channel().text("channel", "id");
    EXPECT_EQ(scene_.ask(scene_.webhook(neighbour, hello, secret_)).status, 401);
    EXPECT_EQ(scene_.ask(scene_.webhook("unknown", hello, secret_)).status, 404);
    http_request typed = scene_.webhook(id_, hello, secret_);
    typed.path = "/api/v1/webhooks/sms/" + id_;
    EXPECT_EQ(scene_.ask(typed).status, 404);
    EXPECT_THAT(rooms(), IsEmpty());
}

// What a provider sends while its delivery runs, with the cause that the delivery carried, is staged: the room waits for
// the delivery. It is stored behind the event that was delivered, and counts in its cascade. Into another room it goes
// at once, with the same cause.
// Proves: R11, R11a, D10
TEST_F(Webhooks, WhatADeliveryLeadsToIsStaged) {
    scene_.make_room();
    const seen_reply attached = scene_.post(
        "/api/v1/rooms/r/channels", R"({"channel_id":")" + id_ + R"("})", "adam"
    );
    ASSERT_EQ(attached.status, 201) << attached.body;
    scene_.receiver.hanging = {"https://example.com/hook"};
    scene_.post(
        "/api/v1/rooms/r/events?wait=committed", R"({"content":{"type":"text","body":"question"}})"
    );
    scene_.loop.run_ready();
    ASSERT_THAT(scene_.receiver.got, SizeIs(1));
    const std::string cause{scene_.receiver.got.back().headers.find("convene-cause").value_or("")};
    ASSERT_FALSE(cause.empty());

    http_request reply = scene_.webhook(
        id_, R"({"sender":"555","text":"answer","room_id":"r"})", secret_, "m1"
    );
    reply.headers.add("convene-cause", cause);
    const seen_reply staged = scene_.ask(reply);
    ASSERT_EQ(staged.status, 202) << staged.body;
    EXPECT_EQ(staged.text("progress"), "staged");
    scene_.loop.run_ready();
    const auto events = scene_.timeline_of("acme");
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].id.str(), staged.text("event_id"));
    EXPECT_EQ(events[1].caused_by, events[0].id);
    EXPECT_EQ(events[1].chain_depth, 1);
    EXPECT_EQ(events[1].plan.cascade, events[0].plan.cascade);

    scene_.make_room("s");
    http_request elsewhere = scene_.webhook(
        id_, R"({"sender":"555","text":"told","room_id":"s"})", secret_, "m2"
    );
    elsewhere.headers.add("convene-cause", cause);
    EXPECT_EQ(scene_.ask(elsewhere).status, 201);
    scene_.receiver.hanging.clear();
}

// A cause that is not ours is refused by its name, whoever signs the webhook.
// Proves: X2
TEST_F(Webhooks, RefuseACauseThatIsNotOurs) {
    http_request made_up = scene_.webhook(id_, hello, secret_);
    made_up.headers.add("convene-cause", "v1.e30.AAAA");
    EXPECT_EQ(scene_.ask(made_up).fault(), "Convene-Cause: malformed");

    event_cause foreign;
    foreign.organization = organization_id{"globex"};
    http_request stolen = scene_.webhook(id_, hello, secret_);
    stolen.headers.add(
        "convene-cause", encode_cause(foreign, scene_.box, scene_.world->clock.now())
    );
    EXPECT_EQ(scene_.ask(stolen).fault(), "Convene-Cause: not_allowed_here");
    EXPECT_THAT(rooms(), IsEmpty());
}

// While a secret is replaced a provider may sign with either; afterwards only with the new one.
// Proves: X2, X3
TEST_F(Webhooks, TakeBothSecretsForAWhile) {
    const seen_reply rotated = scene_.post(
        "/api/v1/channels/" + id_ + "/rotate-secret", R"({"overlap_seconds":600})", "adam"
    );
    const std::string next = rotated.text("secret");
    EXPECT_EQ(bring(hello, "old").status, 201);
    EXPECT_EQ(scene_.ask(scene_.webhook(id_, hello, next, "new")).status, 201);
    scene_.world->clock.advance(600s);
    EXPECT_EQ(bring(hello, "late").status, 401);
    EXPECT_EQ(scene_.ask(scene_.webhook(id_, hello, next, "newer")).status, 201);
}

// A disabled channel brings nothing.
// Proves: D12
TEST_F(Webhooks, AreRefusedWhileDisabled) {
    scene_.patch("/api/v1/channels/" + id_, R"({"is_enabled":false})", "adam");
    EXPECT_EQ(bring().status, 403);
    EXPECT_THAT(rooms(), IsEmpty());
}

// What is signed may still be wrong: the field is named, and nothing is stored.
// Proves: R16
TEST_F(Webhooks, NameWhatIsWrong) {
    EXPECT_EQ(bring("{").code(), "INVALID_JSON");
    EXPECT_EQ(bring(R"({"text":"hello"})").fault(), "sender: missing_field");
    EXPECT_EQ(bring(R"({"sender":"555"})").fault(), "content: missing_field");
    EXPECT_EQ(
        bring(R"({"sender":"555","text":"a","content":{"type":"text","body":"b"}})").fault(),
        "content: not_allowed_here"
    );
    EXPECT_EQ(bring(R"({"sender":"555","text":"a\u0000"})").fault(), "text: nul_character");
    EXPECT_EQ(bring(R"({"sender":"555","text":"a","room_id":"nowhere"})").status, 404);
    EXPECT_THAT(rooms(), IsEmpty());
}

// A closed room takes nothing from a provider that names it either.
// Proves: R4
TEST_F(Webhooks, RespectAClosedRoom) {
    scene_.make_room();
    const std::string named = R"({"sender":"555","text":"a","room_id":"r"})";
    EXPECT_EQ(bring(named, "m1").status, 201);
    scene_.post("/api/v1/rooms/r/close", "");
    EXPECT_EQ(bring(named, "m2").code(), "ROOM_CLOSED");
    EXPECT_THAT(scene_.timeline_of("acme"), SizeIs(1));
}

// A provider tells what became of a message; it shows beside the delivery, and only moves forward.
// Proves: D12
TEST_F(Webhooks, TellOfDeliveries) {
    scene_.make_room();
    scene_.post("/api/v1/rooms/r/channels", R"({"channel_id":")" + id_ + R"("})");
    const std::string event = scene_.say("hello").text("id");
    ASSERT_THAT(scene_.receiver.got, SizeIs(1));
    const std::string delivery{scene_.receiver.got.front().headers.find("webhook-id").value_or("")};
    const auto status_body = [&](const std::string& status) {
        return R"({"delivery_id":")" + delivery + R"(","event_id":")" + event + R"(","status":")" +
               status + R"("})";
    };
    const auto tell = [&](const std::string& status) {
        return scene_.ask(scene_.webhook(id_ + "/status", status_body(status), secret_, status));
    };
    const auto shown = [&] {
        const seen_reply listed = scene_.get("/api/v1/rooms/r/events/" + event + "/deliveries");
        for (const std::string_view one : listed.list("deliveries")) {
            if (find_text(one, "id") == delivery) {
                return find_text(find_member(one, "receipt").value_or("null"), "status")
                    .value_or("");
            }
        }
        return std::string{"none"};
    };
    EXPECT_EQ(shown(), "");
    EXPECT_EQ(tell("delivered").text("changed"), "true");
    EXPECT_EQ(shown(), "delivered");
    EXPECT_EQ(tell("read").text("changed"), "true");
    EXPECT_EQ(tell("delivered").text("changed"), "false");
    EXPECT_EQ(shown(), "read");
    EXPECT_EQ(tell("lost").fault(), "status: unknown_value");
    EXPECT_EQ(
        scene_.post("/api/v1/webhooks/webhook/" + id_ + "/status", status_body("read"), "").status,
        401
    );

    const seen_reply other = scene_.register_channel();
    EXPECT_EQ(
        scene_
            .ask(scene_.webhook(
                other.text("channel", "id") + "/status", status_body("read"), other.text("secret")
            ))
            .status,
        404
    );
}

}  // namespace
}  // namespace convene
