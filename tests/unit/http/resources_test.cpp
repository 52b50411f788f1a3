// SPDX-License-Identifier: Apache-2.0
// Tasks, observations, read markers, and what operators look at, over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;

// Tasks are added, listed by status and changed by members; the same key adds one.
// Proves: R8
TEST(HttpTasks, AreKept) {
    http_scene scene;
    scene.make_room();
    const std::string tasks = "/api/v1/rooms/r/tasks";
    const auto add = [&](std::string title) {
        http_request asked = http_scene::request(
            http_method::post, tasks, "bob", R"({"title":")" + std::move(title) + R"("})"
        );
        asked.headers.add("idempotency-key", "k");
        return scene.ask(std::move(asked));
    };
    const seen_reply added = add("Clean up");
    ASSERT_EQ(added.status, 201) << added.body;
    EXPECT_EQ(add("Clean up").status, 200);
    EXPECT_EQ(add("Another").code(), "IDEMPOTENCY_KEY_REUSED");
    const std::string one = tasks + "/" + added.text("id");
    EXPECT_EQ(
        scene.patch(one, R"({"status":"in_progress","assigned_to":"ann"})").text("assigned_to"),
        "ann"
    );
    EXPECT_EQ(scene.get(tasks + "?status=pending").list("tasks").size(), 0U);
    EXPECT_EQ(scene.get(tasks + "?status=in_progress").list("tasks").size(), 1U);
    EXPECT_EQ(scene.patch(tasks + "/none", "{}").status, 404);
    EXPECT_EQ(scene.post(tasks, R"({"title":""})").fault(), "title: empty");
    EXPECT_EQ(scene.get("/api/v1/rooms/r/observations").list("observations").size(), 0U);
}

// What an agent noticed is listed.
// Proves: R10
TEST(HttpTasks, ObservationsAreListed) {
    http_scene scene;
    agent_script script;
    script.observe("mood", "cheerful").say("ok");
    scene.add_agent("bot", script);
    scene.make_room();
    scene.post("/api/v1/rooms/r/channels", R"({"channel_id":"bot"})");
    scene.say("hi");
    const seen_reply seen = scene.get("/api/v1/rooms/r/observations", "bob");
    ASSERT_EQ(seen.list("observations").size(), 1U);
    EXPECT_EQ(find_text(seen.list("observations")[0], "content"), "cheerful");
    EXPECT_EQ(find_text(seen.list("observations")[0], "channel_id"), "bot");
}

// A marker moves forward by itself, back when one says so; unread counts follow, mentions among them.
// Proves: R15
TEST(HttpReading, MarkersAndUnreadCounts) {
    http_scene scene;
    scene.make_room();
    scene.say("one");
    scene.post(
        "/api/v1/rooms/r/events",
        R"({"content":{"type":"text","body":"bob!"},"metadata":{"mentions":["bob"]}})"
    );
    scene.say("mine", "bob");
    const std::string markers = "/api/v1/rooms/r/read-markers";
    seen_reply unread = scene.get("/api/v1/rooms/r/unread", "bob");
    EXPECT_EQ(unread.text("unread"), "2");
    EXPECT_EQ(unread.text("mentions"), "1");
    EXPECT_EQ(unread.text("latest_index"), "2");
    EXPECT_EQ(scene.put(markers, R"({"index":2})", "bob").text("index"), "2");
    EXPECT_EQ(scene.put(markers, R"({"index":0})", "bob").text("index"), "2");
    EXPECT_EQ(scene.get("/api/v1/rooms/r/unread", "bob").text("unread"), "0");
    EXPECT_EQ(scene.put(markers, R"({"index":0,"explicit":true})", "bob").text("index"), "0");
    unread = scene.get("/api/v1/rooms/r/unread", "bob");
    EXPECT_EQ(unread.text("unread"), "1");
    EXPECT_EQ(scene.get(markers, "bob").list("markers").size(), 1U);
    EXPECT_EQ(scene.get(markers, "ann").list("markers").size(), 0U);
}

// A user's markers are its own; a token says whose.
// Proves: R15, X1
TEST(HttpReading, ATokenSaysForWhom) {
    http_scene scene;
    scene.make_room();
    scene.say("one");
    const std::string markers = "/api/v1/rooms/r/read-markers";
    EXPECT_EQ(scene.put(markers, R"({"index":0,"reader":"ann"})", "bob").code(), "FORBIDDEN");
    EXPECT_EQ(scene.get(markers + "?reader=ann", "bob").code(), "FORBIDDEN");
    EXPECT_EQ(scene.put(markers, R"({"index":0})", "token").fault(), "reader: missing_field");
    EXPECT_EQ(scene.put(markers, R"({"index":0,"reader":"bob"})", "token").text("reader"), "bob");
    EXPECT_EQ(scene.get(markers, "token").list("markers").size(), 1U);
    EXPECT_EQ(scene.get("/api/v1/rooms/r/unread?reader=bob", "token").text("unread"), "0");
}

// Operators see the notices of their organisation, by type, and go on where they were.
// Proves: X1
TEST(HttpAdmin, FrameworkEventsAreListed) {
    http_scene scene;
    scene.make_room();
    scene.post("/api/v1/rooms/r/close", "");
    scene.say("late");
    scene.say("later");
    const std::string notices = "/api/v1/framework-events";
    EXPECT_EQ(scene.get(notices, "ann").status, 403);
    const seen_reply first = scene.get(notices + "?type=room_refused_event&limit=1", "olga");
    ASSERT_EQ(first.list("framework_events").size(), 1U) << first.body;
    EXPECT_EQ(find_text(first.list("framework_events")[0], "room_id"), "r");
    const seen_reply rest = scene.get(
        notices + "?type=room_refused_event&after=" + first.text("next_after"), "olga"
    );
    EXPECT_EQ(rest.list("framework_events").size(), 1U);
    EXPECT_EQ(scene.get(notices, "eve").list("framework_events").size(), 0U);
}

// Operators see lanes, workers and skips.
// Proves: D14
TEST(HttpAdmin, LanesWorkersAndSkipsAreListed) {
    http_scene scene;
    scene.make_room();
    scene.say("one");
    const seen_reply lanes = scene.get("/api/v1/admin/lanes", "olga");
    ASSERT_EQ(lanes.list("lanes").size(), 1U) << lanes.body;
    EXPECT_EQ(find_text(lanes.list("lanes")[0], "room_id"), "r");
    EXPECT_EQ(find_member(lanes.list("lanes")[0], "lag"), "0");
    EXPECT_EQ(scene.get("/api/v1/admin/lanes", "eve").list("lanes").size(), 0U);
    const seen_reply workers = scene.get("/api/v1/admin/workers?state=live", "olga");
    ASSERT_EQ(workers.list("workers").size(), 1U);
    EXPECT_EQ(find_member(workers.list("workers")[0], "is_self"), "true");
    EXPECT_EQ(scene.get("/api/v1/admin/workers?state=dead", "olga").list("workers").size(), 0U);
    EXPECT_EQ(scene.get("/api/v1/admin/skips", "olga").list("skips").size(), 0U);
}

// Metrics are in the text form, with routes and not paths as labels.
// Proves: O2, D14
TEST(HttpSystem, MetricsAreText) {
    http_scene scene;
    scene.make_room();
    scene.get("/api/v1/rooms/r");
    scene.get("/api/v1/rooms/s");
    EXPECT_EQ(scene.get("/metrics", "").status, 401);
    EXPECT_EQ(scene.get("/metrics", "ann").status, 403);
    const seen_reply metrics = scene.get("/metrics", "olga");
    EXPECT_EQ(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_THAT(metrics.body, HasSubstr("# TYPE convene_lane_lag gauge\nconvene_lane_lag 0\n"));
    EXPECT_THAT(
        metrics.body,
        HasSubstr("convene_http_requests_total{method=\"GET\",route=\"/api/v1/rooms/"
                  "{room_id}\",status=\"404\"} 1\n")
    );
    EXPECT_THAT(
        metrics.body,
        HasSubstr(
            "convene_http_request_duration_seconds_count{route=\"/api/v1/rooms/{room_id}\"} 2\n"
        )
    );
}

// A store that is closed makes the worker not ready, and requests a 503 that may be tried again.
// Proves: O2
TEST(HttpSystem, AStoreThatIsGoneIsTold) {
    http_scene scene;
    scene.make_room();
    scene.loop.run(scene.store.close());
    const seen_reply ready = scene.get("/readyz", "");
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(find_text(ready.list("checks")[0], "name"), "store");
    EXPECT_EQ(find_member(ready.list("checks")[0], "is_ok"), "false");
    const seen_reply refused = scene.say("x");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "DATABASE_UNAVAILABLE");
    EXPECT_EQ(refused.text("retryable"), "true");
}

}  // namespace
}  // namespace convene
