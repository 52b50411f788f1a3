// SPDX-License-Identifier: Apache-2.0
// Lanes over HTTP: how they stand, what operators do to them, and their figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const std::string lanes = "/api/v1/admin/lanes";
const std::string lane = lanes + "/r/";

/// What the audit trail says, oldest first: `action target details`.
std::vector<std::string> trail_of(http_scene& scene) {
    std::vector<std::string> lines;
    for (const audit_entry& one : scene.ask(ops::list_audit{organization_id{"acme"}, {}, 100})) {
        lines.insert(lines.begin(), one.action + ' ' + one.target + ' ' + one.details.str());
    }
    return lines;
}

// A lane is stopped and goes on; it is listed meanwhile, also where no worker has the room; what is so already is a
// conflict. Each is on the audit trail, and nobody but operators of the room's own organisation may.
// Proves: L11, X1
TEST(HttpLanes, ArePausedAndResumed) {
    http_scene scene;
    scene.make_room();
    for (const char* const verb : {"pause", "resume", "skip", "redeliver"}) {
        EXPECT_EQ(scene.post(lane + verb, "", "ann").status, 403) << verb;
        EXPECT_EQ(scene.post(lane + verb, "", "eve").status, 404) << verb;
        EXPECT_EQ(scene.post(lanes + "/none/" + verb, "", "olga").status, 404) << verb;
    }
    EXPECT_EQ(scene.post(lane + "resume", "", "olga").code(), "LANE_NOT_PAUSED");
    const seen_reply paused = scene.post(lane + "pause", R"({"reason":"a bad number"})", "olga");
    ASSERT_EQ(paused.status, 200) << paused.body;
    EXPECT_EQ(paused.text("state"), "paused");
    EXPECT_EQ(scene.post(lane + "pause", "", "olga").code(), "LANE_PAUSED");

    const seen_reply listed = scene.get(lanes, "olga");
    ASSERT_EQ(listed.list("lanes").size(), 1U) << listed.body;
    EXPECT_THAT(listed.body, HasSubstr(R"("room_id":"r")"));
    EXPECT_THAT(listed.body, HasSubstr(R"("paused_at":"2)"));
    EXPECT_EQ(scene.get(lanes, "eve").list("lanes").size(), 0U);

    const seen_reply running = scene.post(lane + "resume", "", "olga");
    EXPECT_EQ(running.status, 200);
    EXPECT_EQ(running.text("state"), "running");
    EXPECT_THAT(scene.get(lanes, "olga").body, HasSubstr(R"("paused_at":null)"));
    EXPECT_EQ(
        trail_of(scene),
        (std::vector<std::string>{R"(lane.paused r {"reason":"a bad number"})", "lane.resumed r {}"}
        )
    );
}

// Where a set still runs when the request's patience ends the answer says so.
// Proves: L11
TEST(HttpLanes, PausingTellsThatASetStillRuns) {
    http_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(seconds{4}));
    scene.make_room();
    const auto blocking = scene.loop.run(
        scene.locks->try_acquire(lease_name::delivery(organization_id{"acme"}, room_id{"r"}))
    );
    const seen_reply paused = scene.post(lane + "pause", "", "olga");
    EXPECT_EQ(paused.status, 202);
    EXPECT_EQ(paused.text("state"), "pausing");
    EXPECT_TRUE(scene.loop.run((*blocking)->release()).has_value());
}

// The head is passed over, by name of its index if wanted; the skip is listed, and replayed like any other.
// Proves: D8, L11
TEST(HttpLanes, TheirHeadIsSkipped) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.post(lane + "skip", "", "olga").code(), "LANE_EMPTY");
    scene.post(lane + "pause", "", "olga");
    scene.post(
        "/api/v1/rooms/r/events?wait=committed", R"({"content":{"type":"text","body":"m"}})"
    );
    const seen_reply moved = scene.post(lane + "skip", R"({"index":3})", "olga");
    EXPECT_EQ(moved.code(), "LANE_MOVED");
    EXPECT_THAT(moved.text("detail"), HasSubstr("index 0"));
    EXPECT_EQ(scene.post(lane + "skip", R"({"index":-1})", "olga").fault(), "index: out_of_range");
    const seen_reply skipped = scene.post(lane + "skip", R"({"index":0,"reason":"spam"})", "olga");
    ASSERT_EQ(skipped.status, 200) << skipped.body;
    EXPECT_EQ(skipped.text("index"), "0");
    EXPECT_EQ(skipped.text("skipped"), "1");
    const seen_reply skips = scene.get("/api/v1/admin/skips", "olga");
    EXPECT_THAT(skips.body, HasSubstr(R"("reason":"operator")"));
    EXPECT_THAT(
        scene.get("/api/v1/framework-events?type=delivery_skipped", "olga").body,
        HasSubstr(R"("reason":"operator")")
    );
    EXPECT_EQ(scene.post("/api/v1/admin/skips/1/replay", "", "olga").text("queued"), "1");
    EXPECT_THAT(trail_of(scene)[1], HasSubstr(R"("reason":"spam")"));
}

// What failed of an event is delivered again; where nothing did that is said.
// Proves: D8, L11
TEST(HttpLanes, RedeliverWhatFailed) {
    http_scene scene;
    scene.phone->then(scripted_attempt::fails_for_good());
    scene.make_room();
    EXPECT_EQ(scene.post(lane + "redeliver", "", "olga").code(), "NOTHING_TO_REDELIVER");
    const std::string event = scene.say("hello").text("id");
    EXPECT_EQ(scene.post(lane + "redeliver", R"({"event_id":"none"})", "olga").status, 404);
    const seen_reply again = scene.post(
        lane + "redeliver", R"({"event_id":")" + event + R"("})", "olga"
    );
    ASSERT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.text("event_id"), event);
    EXPECT_EQ(again.text("queued"), "1");
    scene.loop.advance(seconds{2});
    EXPECT_EQ(scene.phone->sent().size(), 1U);
    EXPECT_EQ(scene.post(lane + "redeliver", "", "olga").code(), "NOTHING_TO_REDELIVER");
    EXPECT_EQ(trail_of(scene).back(), R"(lane.redelivered r {"event_id":")" + event + R"("})");
}

/// A sample of the text that Prometheus reads.
std::string figure_of(http_scene& scene, const std::string& name) {
    const std::string text = '\n' + scene.get("/metrics", "olga").body;
    const std::size_t at = text.find('\n' + name + ' ');
    if (at == std::string::npos) {
        return "none";
    }
    const std::size_t value = at + name.size() + 2;
    return text.substr(value, text.find('\n', value) - value);
}

// Depth and lag, summed and of the worst room; how long claims are waited for and how long others wait for ours.
// Proves: D14
TEST(HttpLanes, TellTheirFigures) {
    http_scene scene;
    scene.phone->otherwise(scripted_attempt::sends_after(seconds{4}));
    scene.make_room();
    scene.make_room("s");
    const std::string body = R"({"content":{"type":"text","body":"m"}})";
    for (const char* const room : {"r", "r", "r", "s", "s"}) {
        scene.post("/api/v1/rooms/" + std::string{room} + "/events?wait=committed", body);
    }
    // The first of each room is being delivered.
    EXPECT_EQ(figure_of(scene, "convene_lane_depth"), "3");
    EXPECT_EQ(figure_of(scene, "convene_lane_depth_max"), "2");
    EXPECT_EQ(figure_of(scene, "convene_lane_lag"), "5");
    EXPECT_EQ(figure_of(scene, "convene_lane_lag_max"), "3");
    EXPECT_EQ(figure_of(scene, "convene_lane_claim_wait_seconds_count"), "2");
    EXPECT_EQ(figure_of(scene, "convene_lane_claim_wait_seconds_sum"), "0");
    EXPECT_EQ(figure_of(scene, "convene_lane_handover_seconds_count"), "0");
    scene.post(lane + "pause", "", "olga");
    EXPECT_EQ(figure_of(scene, "convene_lane_handover_seconds_count"), "1");
    EXPECT_EQ(figure_of(scene, "convene_lane_handover_seconds_sum"), "4");
}

}  // namespace
}  // namespace convene
