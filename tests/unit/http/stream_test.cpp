// SPDX-License-Identifier: Apache-2.0
// A room's stream over SSE.
#include <gtest/gtest.h>

#include "unit/http/live_scene.hpp"

namespace convene {
namespace {

using std::chrono::seconds;

const std::string stream_path = "/api/v1/rooms/r/stream";

class RoomStream : public testing::Test {
   protected:
    RoomStream() { scene_.make_room(); }

    /// Opens a stream and leaves it running.
    void open(http_request asked) {
        stream_ = scene_.open<http_stream>(std::move(asked));
        scope_.spawn("stream", stream_.produce(&body_));
        scene_.loop.run_ready();
    }

    ~RoomStream() override {
        scope_.request_stop();
        scene_.loop.run(scope_.join());
    }

    [[nodiscard]] static http_request asking(std::string query = {}, std::string who = "ann") {
        return http_scene::request(
            http_method::get, stream_path + (query.empty() ? "" : "?" + query), std::move(who)
        );
    }

    /// What came since the last call.
    std::string taken() {
        scene_.loop.run_ready();
        return std::exchange(body_.text, {});
    }

    live_scene scene_;
    http_stream stream_;
    written_body body_;
    task_scope scope_{scene_.loop};
};

// Each event is a frame with its index as the id; the headers keep proxies from holding it back.
// Proves: R18
TEST_F(RoomStream, FramesHaveTheIndexAsTheirId) {
    open(asking());
    EXPECT_EQ(stream_.headers.find("content-type"), "text/event-stream; charset=utf-8");
    EXPECT_EQ(stream_.headers.find("cache-control"), "no-cache, no-transform");
    EXPECT_EQ(stream_.headers.find("x-accel-buffering"), "no");
    EXPECT_TRUE(taken().starts_with("retry: "));
    scene_.say("hello");
    const std::string frame = taken();
    EXPECT_TRUE(frame.starts_with("id: 0\nevent: message\ndata: {")) << frame;
    EXPECT_NE(frame.find(R"("body":"hello")"), std::string::npos) << frame;
    EXPECT_TRUE(frame.ends_with("}\n\n")) << frame;
}

// Who reconnects goes on behind the last frame; the header wins over the address it was opened with.
// Proves: R18
TEST_F(RoomStream, GoesOnBehindTheLastId) {
    for (const char* text : {"a", "b", "c"}) {
        scene_.say(text);
    }
    http_request asked = asking("after=-1");
    asked.headers.add("last-event-id", "1");
    open(std::move(asked));
    const std::string got = taken();
    EXPECT_EQ(got.find("id: 1\n"), std::string::npos) << got;
    EXPECT_NE(got.find("id: 2\n"), std::string::npos) << got;
}

// A stream is never silent for longer than its heartbeat.
// Proves: R18
TEST_F(RoomStream, IsNeverSilent) {
    open(asking());
    taken();
    scene_.loop.advance(seconds{15});
    EXPECT_EQ(taken(), ": still here\n\n");
}

// A position that is none is refused by name.
// Proves: R18
TEST_F(RoomStream, RefusesAPositionThatIsNone) {
    seen_reply refused = scene_.get(stream_path + "?after=yesterday");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.fault(), "after: malformed");
}

// A person who leaves the room sees the end of the stream within five seconds, and nothing after it.
// Proves: R18, X1
TEST_F(RoomStream, EndsWithTheAccess) {
    open(asking("", "bob"));
    taken();
    EXPECT_EQ(scene_.erase("/api/v1/rooms/r/participants/bob").status, 204);
    scene_.loop.advance(seconds{5});
    scene_.say("not for bob");
    EXPECT_EQ(taken(), "id: -1\nevent: end\ndata: {\"reason\":\"access_removed\"}\n\n");
    EXPECT_EQ(scope_.size(), 0U);
}

// A token that is revoked ends its streams.
// Proves: R18, X1
TEST_F(RoomStream, EndsWithTheToken) {
    open(asking("", "token"));
    taken();
    scene_.callers.callers.erase("token");
    scene_.loop.advance(seconds{5});
    EXPECT_NE(taken().find("access_removed"), std::string::npos);
}

// A worker that goes away says so, so that the reader resumes elsewhere.
// Proves: O3, R18
TEST_F(RoomStream, SaysThatTheWorkerGoesAway) {
    open(asking());
    scene_.say("last");
    taken();
    scene_.tails.end_all();
    EXPECT_EQ(taken(), "id: 0\nevent: end\ndata: {\"reason\":\"draining\"}\n\n");
    EXPECT_EQ(scope_.size(), 0U);
}

// A room that one may not see has no stream.
// Proves: X1
TEST_F(RoomStream, IsNotThereForOthers) {
    EXPECT_EQ(scene_.get(stream_path, "eve").status, 404);
    EXPECT_EQ(scene_.get(stream_path, "").status, 401);
}

}  // namespace
}  // namespace convene
