// SPDX-License-Identifier: Apache-2.0
// Events over HTTP: sending, reading, changing, and what a reader may see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string events = "/api/v1/rooms/r/events";

std::vector<std::string> said(const seen_reply& reply) {
    std::vector<std::string> texts;
    for (const std::string_view one : reply.list("events")) {
        texts.push_back(find_text(find_member(one, "content").value_or("{}"), "body").value_or("-")
        );
    }
    return texts;
}

hook_definition blocking_hook() {
    hook_definition hook;
    hook.id = hook_id{"moderator"};
    hook.run = coroutine_hook{[](hook_input input) -> awaitable<hook_verdict> {
        const bool is_bad = readable_text(input.event.content) == "!!!";
        co_return is_bad ? hook_verdict::block("no_swearing") : hook_verdict::allow();
    }};
    return hook;
}

seen_reply post_with_key(
    http_scene& scene, std::string body, std::string key, std::string path = events
) {
    http_request asked = http_scene::request(
        http_method::post, std::move(path), "ann", std::move(body)
    );
    asked.headers.add("idempotency-key", std::move(key));
    return scene.ask(std::move(asked));
}

// A user's event goes through the web channel in its own name, and the answer says what became of it.
// Proves: D10
TEST(HttpEvents, AUserSendsAsItself) {
    http_scene scene;
    scene.make_room();
    const seen_reply sent = scene.say("hello");
    ASSERT_EQ(sent.status, 201) << sent.body;
    EXPECT_EQ(sent.text("index"), "0");
    EXPECT_EQ(sent.text("type"), "message");
    EXPECT_EQ(sent.text("source", "channel_id"), "web");
    EXPECT_EQ(sent.text("source", "participant_id"), "ann");
    EXPECT_EQ(sent.text("content", "body"), "hello");
    EXPECT_EQ(sent.text("progress"), "delivered");
    ASSERT_EQ(sent.list("delivery_results").size(), 1U);
    EXPECT_EQ(find_text(sent.list("delivery_results")[0], "channel_id"), "phone");
    EXPECT_EQ(find_text(sent.list("delivery_results")[0], "state"), "done");
    EXPECT_EQ(find_member(sent.list("delivery_results")[0], "attempts"), "1");
    EXPECT_THAT(texts_of(scene.phone->sent()), ElementsAre("hello"));
    EXPECT_EQ(
        scene.get(events + "/" + sent.text("id") + "/deliveries").list("deliveries").size(), 1U
    );
}

// `wait=committed` answers before the deliveries have run.
// Proves: D10
TEST(HttpEvents, ACallerNeedNotWait) {
    http_scene scene;
    scene.make_room();
    const seen_reply sent = scene.post(
        events + "?wait=committed", R"({"content":{"type":"text","body":"x"}})"
    );
    EXPECT_EQ(sent.status, 201);
    EXPECT_EQ(sent.text("progress"), "committed");
    EXPECT_EQ(
        scene.post(events + "?wait=never", R"({"content":{"type":"text","body":"x"}})").fault(),
        "wait: unknown_value"
    );
}

// A user can't speak in another's name, nor through another's channel, nor as the server.
// Proves: X1, R17
TEST(HttpEvents, NamesAreNotBorrowed) {
    http_scene scene;
    scene.make_room();
    const auto send = [&](std::string more, std::string who) {
        return scene.post(
            events,
            R"({"content":{"type":"text","body":"x"},)" + std::move(more) + "}",
            std::move(who)
        );
    };
    EXPECT_EQ(send(R"("participant_id":"bob")", "ann").code(), "FORBIDDEN");
    EXPECT_EQ(send(R"("participant_id":"bob")", "olga").code(), "FORBIDDEN");
    EXPECT_EQ(send(R"("channel_id":"phone")", "ann").code(), "FORBIDDEN");
    EXPECT_EQ(
        scene.post(events, R"({"content":{"type":"system","body":"x"}})").code(), "FORBIDDEN"
    );
    EXPECT_TRUE(scene.timeline_of("acme").empty());
    const seen_reply by_token = send(R"("participant_id":"bob","channel_id":"phone")", "token");
    EXPECT_EQ(by_token.text("source", "participant_id"), "bob");
    EXPECT_EQ(
        scene.post(events, R"({"content":{"type":"system","body":"x"}})", "token").text("type"),
        "system"
    );
}

// An import says what an event was; a user's events are what they say, and no word turns a change into none.
// Proves: R13
TEST(HttpEvents, ATokenSaysWhatAnEventIs) {
    http_scene scene;
    scene.make_room();
    const std::string notice = R"({"content":{"type":"system","body":"x"},"type":)";
    EXPECT_EQ(scene.post(events, notice + R"("message"})", "token").text("type"), "message");
    EXPECT_EQ(scene.post(events, notice + R"("custom"})", "token").text("type"), "custom");
    EXPECT_EQ(scene.post(events, notice + R"("edit"})", "token").fault(), "type: not_allowed_here");
    const std::string id = scene.say("x").text("id");
    const std::string removal = R"({"content":{"type":"delete","target_event_id":")" + id +
                                R"(","delete_type":"system"},"type":)";
    EXPECT_EQ(
        scene.post(events, removal + R"("message"})", "token").fault(), "type: not_allowed_here"
    );
    const std::string text = R"({"content":{"type":"text","body":"x"},"type":)";
    EXPECT_EQ(scene.post(events, text + R"("message"})").status, 201);
    EXPECT_EQ(scene.post(events, text + R"("system"})").code(), "FORBIDDEN");
}

// What answers get is told where it was said, and only there.
TEST(HttpEvents, SayWhatTheirAnswersGet) {
    http_scene scene;
    scene.make_room();
    const seen_reply sent = scene.post(
        events, R"({"content":{"type":"text","body":"x"},"response_visibility":"none"})"
    );
    EXPECT_EQ(sent.text("response_visibility"), "none");
    EXPECT_EQ(scene.say("y").body.find("response_visibility"), std::string::npos);
}

// A key, in the body or in the header, stores one event; with another body it is refused.
// Proves: R8
TEST(HttpEvents, AKeyStoresOneEvent) {
    http_scene scene;
    scene.make_room();
    const std::string body = R"({"content":{"type":"text","body":"x"}})";
    const seen_reply first = post_with_key(scene, body, "k");
    const seen_reply again = post_with_key(scene, body, "k");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("replayed"), "true");
    EXPECT_EQ(again.text("id"), first.text("id"));
    const seen_reply in_body = scene.post(
        events, R"({"content":{"type":"text","body":"x"},"idempotency_key":"k"})"
    );
    EXPECT_EQ(in_body.text("replayed"), "true");
    EXPECT_EQ(
        post_with_key(scene, R"({"content":{"type":"text","body":"y"}})", "k").code(),
        "IDEMPOTENCY_KEY_REUSED"
    );
    EXPECT_EQ(
        post_with_key(scene, R"({"content":{"type":"text","body":"x"},"idempotency_key":"j"})", "k")
            .fault(),
        "idempotency_key: unknown_value"
    );
    EXPECT_EQ(scene.erase(events + "/" + first.text("id") + "?mode=hard").status, 200);
    const seen_reply gone = post_with_key(scene, body, "k");
    EXPECT_EQ(gone.status, 410);
    EXPECT_EQ(gone.code(), "EVENT_DELETED");
}

// The traceparent of the request stays with the event; what is none is left out.
// Proves: O2
TEST(HttpEvents, KeepTheTraceOfTheirRequest) {
    http_scene scene;
    scene.make_room();
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (const std::string& sent : {trace, std::string{"nonsense"}}) {
        http_request asked = http_scene::request(
            http_method::post, events, "ann", R"({"content":{"type":"text","body":"x"}})"
        );
        asked.headers.add("traceparent", sent);
        scene.ask(std::move(asked));
    }
    const std::vector<room_event> stored = scene.timeline_of("acme");
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[0].plan.trace_parent, trace);
    EXPECT_EQ(stored[1].plan.trace_parent, "");
}

// Pages go forwards and backwards, and `next_index` leads through all of them.
// Proves: R14
TEST(HttpEvents, AreReadInPages) {
    http_scene scene;
    scene.make_room();
    for (const char* text : {"0", "1", "2", "3", "4"}) {
        scene.say(text);
    }
    seen_reply page = scene.get(events + "?limit=2");
    EXPECT_THAT(said(page), ElementsAre("0", "1"));
    EXPECT_EQ(page.text("latest_index"), "4");
    page = scene.get(events + "?limit=3&after_index=" + page.text("next_index"));
    EXPECT_THAT(said(page), ElementsAre("2", "3", "4"));
    EXPECT_EQ(page.text("next_index"), "null");
    page = scene.get(events + "?limit=2&newest_first=true");
    EXPECT_THAT(said(page), ElementsAre("3", "4"));
    page = scene.get(events + "?limit=2&before_index=" + page.text("next_index"));
    EXPECT_THAT(said(page), ElementsAre("1", "2"));
    page = scene.get(events + "?limit=2&before_index=" + page.text("next_index"));
    EXPECT_THAT(said(page), ElementsAre("0"));
    EXPECT_EQ(page.text("next_index"), "null");
    EXPECT_EQ(
        scene.get(events + "?after_index=1&before_index=3").fault(),
        "before_index: not_allowed_here"
    );
    EXPECT_EQ(scene.get(events + "?limit=501").fault(), "limit: out_of_range");
}

// Filters narrow a page: by author, type, thread and time.
// Proves: R14
TEST(HttpEvents, AreFiltered) {
    http_scene scene;
    scene.make_room();
    const std::string root = scene.say("root").text("id");
    scene.say("other", "bob");
    scene.post(
        events, R"({"content":{"type":"text","body":"reply"},"parent_event_id":")" + root + R"("})"
    );
    EXPECT_THAT(said(scene.get(events + "?participant_id=bob")), ElementsAre("other"));
    EXPECT_THAT(said(scene.get(events + "?parent_event_id=" + root)), ElementsAre("reply"));
    EXPECT_THAT(said(scene.get(events + "?type=system")), IsEmpty());
    EXPECT_EQ(said(scene.get(events + "?from=2000-01-01T00:00:00Z")).size(), 3U);
    EXPECT_EQ(
        scene.get(events + "?from=2030-01-01T00:00:00Z&until=2020-01-01T00:00:00Z").fault(),
        "until: out_of_range"
    );
}

// Blocked events are stored and not shown to members; operators see them with their reason. A page of a member
// is full where there is enough to see.
// Proves: R9, R10
TEST(HttpEvents, BlockedOnesAreForOperators) {
    http_scene scene;
    scene.make_room();
    ASSERT_TRUE(scene.kit->add_hook(blocking_hook()));
    scene.say("a");
    const seen_reply blocked = scene.say("!!!");
    EXPECT_EQ(blocked.status, 201);
    EXPECT_EQ(blocked.text("status"), "blocked");
    EXPECT_EQ(blocked.text("block_reason"), "no_swearing");
    scene.say("!!!");
    scene.say("b");
    const seen_reply page = scene.get(events + "?limit=2", "bob");
    EXPECT_THAT(said(page), ElementsAre("a", "b"));
    EXPECT_EQ(page.text("next_index"), "null");
    EXPECT_EQ(said(scene.get(events, "olga")).size(), 4U);
    EXPECT_EQ(scene.get(events + "/" + blocked.text("id"), "bob").status, 404);
    EXPECT_EQ(scene.get(events + "/" + blocked.text("id") + "/deliveries", "bob").status, 404);
    EXPECT_EQ(scene.get(events + "/" + blocked.text("id"), "olga").text("status"), "blocked");
}

// What is for other channels is not shown to people on the web, but to its author.
// Proves: R10
TEST(HttpEvents, VisibilityIsHeld) {
    http_scene scene;
    scene.make_room();
    const auto send = [&](std::string to) {
        return scene.post(
            events,
            R"({"content":{"type":"text","body":")" + to + R"("},"visibility":")" + to + R"("})"
        );
    };
    for (const char* to : {"all", "transport", "intelligence", "none", "phone", "web,phone"}) {
        EXPECT_EQ(send(to).status, 201);
    }
    EXPECT_EQ(said(scene.get(events, "ann")).size(), 6U);
    EXPECT_THAT(said(scene.get(events, "bob")), ElementsAre("all", "transport", "web,phone"));
    EXPECT_EQ(said(scene.get(events, "token")).size(), 6U);
    const seen_reply paged = scene.get(events + "?limit=1&after_index=1", "bob");
    EXPECT_THAT(said(paged), ElementsAre("web,phone"));
}

// The author edits; another member may not; an owner and an operator may.
// Proves: R13
TEST(HttpEvents, AreEditedByWhoMay) {
    http_scene scene;
    scene.make_room();
    const std::string id = scene.say("helo", "bob").text("id");
    const auto edit = [&](std::string text, std::string who) {
        return scene.patch(
            events + "/" + id,
            R"({"content":{"type":"text","body":")" + std::move(text) + R"("}})",
            std::move(who)
        );
    };
    const seen_reply edited = edit("hello", "bob");
    ASSERT_EQ(edited.status, 201) << edited.body;
    EXPECT_EQ(edited.text("type"), "edit");
    const seen_reply now = scene.get(events + "/" + id);
    EXPECT_EQ(now.text("content", "body"), "hello");
    EXPECT_EQ(now.text("is_edited"), "true");
    EXPECT_EQ(edit("by the owner", "ann").status, 201);
    const seen_reply by_operator = edit("by an operator", "olga");
    EXPECT_EQ(by_operator.status, 201) << by_operator.body;
    EXPECT_EQ(by_operator.text("metadata", "acting_user"), "olga");
    const std::string mine = scene.say("mine", "ann").text("id");
    const seen_reply refused = scene.patch(
        events + "/" + mine, R"({"content":{"type":"text","body":"x"}})", "bob"
    );
    EXPECT_EQ(refused.code(), "FORBIDDEN");
    EXPECT_EQ(
        scene.patch(events + "/" + mine, R"({"content":{"type":"system","body":"x"}})").fault(),
        "content.type: not_allowed_here"
    );
    const std::string edit_id = edited.text("id");
    EXPECT_EQ(
        scene.patch(events + "/" + edit_id, R"({"content":{"type":"text","body":"x"}})").fault(),
        "event_id: not_allowed_here"
    );
    EXPECT_EQ(scene.erase(events + "/" + edit_id).fault(), "event_id: not_allowed_here");
    EXPECT_EQ(
        scene.patch(events + "/nothing", R"({"content":{"type":"text","body":"x"}})").status, 404
    );
}

// A deleted text is a tombstone, in its event and in its edits, also where they are pages apart.
// Proves: R13
TEST(HttpEvents, ADeletedTextDoesNotComeBack) {
    http_scene scene;
    scene.make_room();
    const std::string id = scene.say("secret", "bob").text("id");
    scene.patch(events + "/" + id, R"({"content":{"type":"text","body":"secret 2"}})", "bob");
    EXPECT_EQ(scene.erase(events + "/" + id, "bob").text("type"), "delete");
    for (const char* who : {"ann", "bob", "olga", "token"}) {
        const seen_reply all = scene.get(events, who);
        EXPECT_EQ(all.body.find("secret"), std::string::npos) << who << all.body;
        const seen_reply edit_only = scene.get(events + "?after_index=0&limit=1", who);
        EXPECT_EQ(edit_only.list("events").size(), 1U);
        EXPECT_EQ(edit_only.body.find("secret"), std::string::npos) << who;
        EXPECT_NE(
            edit_only.body.find(R"("data":{"target_event_id":")" + id + R"("})"), std::string::npos
        ) << "which message it changed is no secret";
        const seen_reply one = scene.get(events + "/" + id, who);
        EXPECT_EQ(one.text("is_deleted"), "true");
        EXPECT_EQ(one.text("content", "code"), "message_deleted");
    }
}

// Members take back what they said, owners anything; only who manages the room removes for good, replies included.
// Proves: R13
TEST(HttpEvents, AreDeletedByWhoMay) {
    http_scene scene;
    scene.make_room();
    const std::string root = scene.say("root", "ann").text("id");
    const std::string
        reply = scene
                    .post(
                        events,
                        R"({"content":{"type":"text","body":"re"},"parent_event_id":")" + root +
                            R"("})",
                        "bob"
                    )
                    .text("id");
    EXPECT_EQ(scene.erase(events + "/" + root, "bob").code(), "FORBIDDEN");
    EXPECT_EQ(scene.erase(events + "/" + reply + "?mode=hard", "bob").code(), "FORBIDDEN");
    EXPECT_EQ(scene.erase(events + "/" + reply, "ann").status, 201) << "an owner";
    EXPECT_EQ(scene.erase(events + "/" + root, "token").status, 201) << "the system";
    const seen_reply gone = scene.erase(events + "/" + root + "?mode=hard", "ann");
    EXPECT_EQ(gone.text("deleted"), "[\"" + root + "\",\"" + reply + "\"]");
    EXPECT_EQ(scene.get(events + "/" + reply).status, 404);
}

// Greetings are an agent's own; an answer is asked for again. Both need an agent.
// Proves: D5
TEST(HttpEvents, AgentsGreetAndAnswerAgain) {
    http_scene scene;
    scene.add_agent("bot", agent_script{}.say("answer"));
    scene.make_room();
    EXPECT_EQ(scene.post("/api/v1/rooms/r/channels", R"({"channel_id":"bot"})").status, 201);
    const std::string
        greeting = R"({"channel_id":"bot","content":{"type":"text","body":"Welcome"}})";
    EXPECT_EQ(scene.post("/api/v1/rooms/r/greeting", greeting, "bob").status, 403);
    const seen_reply greeted = scene.post("/api/v1/rooms/r/greeting", greeting);
    ASSERT_EQ(greeted.status, 201) << greeted.body;
    EXPECT_EQ(greeted.text("source", "channel_id"), "bot");
    EXPECT_EQ(
        scene
            .post(
                "/api/v1/rooms/r/greeting",
                R"({"channel_id":"web","content":{"type":"text","body":"x"}})"
            )
            .fault(),
        "channel_id: unknown_value"
    );
    EXPECT_EQ(scene.post("/api/v1/rooms/r/regenerate", "").status, 404) << "nobody asked anything";
    scene.say("question?");
    EXPECT_EQ(scene.post("/api/v1/rooms/r/regenerate", "").status, 201);
}

// A greeting and a regeneration are made once for each key, whatever was said since; another greeting under the same key,
// or another request, is refused.
// Proves: R8
TEST(HttpEvents, GreetingsAndRegenerationsAreMadeOnceForEachKey) {
    http_scene scene;
    scene.add_agent("bot", agent_script{}.say("answer"));
    scene.make_room();
    EXPECT_EQ(scene.post("/api/v1/rooms/r/channels", R"({"channel_id":"bot"})").status, 201);
    const std::string greet = "/api/v1/rooms/r/greeting";
    const std::string
        greeting = R"({"channel_id":"bot","content":{"type":"text","body":"Welcome"}})";
    const seen_reply first = post_with_key(scene, greeting, "g", greet);
    ASSERT_EQ(first.status, 201) << first.body;
    const seen_reply again = post_with_key(scene, greeting, "g", greet);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("replayed"), "true");
    EXPECT_EQ(again.text("id"), first.text("id"));
    EXPECT_EQ(
        post_with_key(
            scene, R"({"channel_id":"bot","content":{"type":"text","body":"Hi"}})", "g", greet
        )
            .code(),
        "IDEMPOTENCY_KEY_REUSED"
    );

    scene.say("question?");
    const std::string regenerate = "/api/v1/rooms/r/regenerate";
    const seen_reply answered = post_with_key(scene, "", "a", regenerate);
    ASSERT_EQ(answered.status, 201) << answered.body;
    scene.say("another question?");
    const std::size_t events_so_far = scene.timeline_of("acme").size();
    const seen_reply repeated = post_with_key(scene, "", "a", regenerate);
    EXPECT_EQ(repeated.status, 200) << repeated.body;
    EXPECT_EQ(repeated.text("id"), answered.text("id"));
    EXPECT_EQ(scene.timeline_of("acme").size(), events_so_far);
    EXPECT_EQ(post_with_key(scene, "", "g", regenerate).code(), "IDEMPOTENCY_KEY_REUSED");
}

}  // namespace
}  // namespace convene
