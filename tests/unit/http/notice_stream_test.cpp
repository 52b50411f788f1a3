// SPDX-License-Identifier: Apache-2.0
// The stream of framework events over SSE.
#include <gtest/gtest.h>

#include "store/operations/subscriptions.hpp"
#include "unit/http/live_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

const std::string path = "/api/v1/framework-events/stream";

class NoticeStream : public testing::Test {
   protected:
    ~NoticeStream() override {
        scope_.request_stop();
        scene_.loop.run(scope_.join());
    }

    void open(http_request asked) {
        stream_ = scene_.open<http_stream>(std::move(asked));
        scope_.spawn("stream", stream_.produce(&body_));
        scene_.loop.run_ready();
    }

    void open(std::string query = {}) {
        open(
            http_scene::request(http_method::get, path + (query.empty() ? "" : "?" + query), "olga")
        );
        EXPECT_TRUE(taken().starts_with("retry: "));
    }

    void tell(const std::string& type, const std::string& organization = "acme") {
        framework_event notice;
        notice.type = type;
        notice.organization = organization_id{organization};
        scene_.ask(ops::append_notices{{notice}});
    }

    /// What came since the last call, within a look at the store.
    std::string taken(std::chrono::nanoseconds span = 500ms) {
        scene_.loop.advance(span);
        return std::exchange(body_.text, {});
    }

    live_scene scene_;
    http_stream stream_;
    written_body body_;
    task_scope scope_{scene_.loop};
};

// What is stored from then on comes as frames with the sequence as their id, of the reader's organisation alone.
// Proves: R19, X1
TEST_F(NoticeStream, ShowsWhatIsStored) {
    tell("before");
    open();
    EXPECT_EQ(stream_.headers.find("content-type"), "text/event-stream; charset=utf-8");
    tell("theirs", "globex");
    tell("delivery_skipped");
    const std::string frame = taken();
    EXPECT_TRUE(frame.starts_with("id: 3\nevent: framework_event\ndata: {")) << frame;
    EXPECT_NE(frame.find(R"("type":"delivery_skipped")"), std::string::npos) << frame;
    EXPECT_EQ(frame.find("before"), std::string::npos);
    EXPECT_EQ(frame.find("theirs"), std::string::npos);
}

// Who reconnects goes on behind the last frame; the header wins over the address it was opened with.
// Proves: R19
TEST_F(NoticeStream, GoesOnBehindTheLastId) {
    for (int i = 0; i < 250; ++i) {
        tell("n");
    }
    http_request asked = http_scene::request(http_method::get, path + "?after=0", "olga");
    asked.headers.add("last-event-id", "7");
    open(std::move(asked));
    const std::string got = taken();
    EXPECT_EQ(got.find("id: 7\n"), std::string::npos);
    for (int i = 8; i <= 250; ++i) {
        EXPECT_NE(got.find("id: " + std::to_string(i) + "\n"), std::string::npos) << i;
    }
}

// A position that was never given out is told as such; the stream goes on from now.
// Proves: R19
TEST_F(NoticeStream, SaysWhenAPositionIsUnknown) {
    tell("a");
    open(http_scene::request(http_method::get, path + "?after=77", "olga"));
    EXPECT_NE(
        taken().find("id: 1\nevent: resync\ndata: {\"after\":1,\"reason\":\"position_unknown\"}\n"),
        std::string::npos
    );
    tell("b");
    EXPECT_TRUE(taken().starts_with("id: 2\n"));
    http_request asked = http_scene::request(http_method::get, path, "olga");
    asked.headers.add("last-event-id", "7-3");
    EXPECT_EQ(scene_.ask(asked).fault(), "last-event-id: malformed");
}

// It is for operators; one who is none any more, or whose token is gone, sees the end within five seconds.
// Proves: R18, R19
TEST_F(NoticeStream, EndsWithTheAccess) {
    EXPECT_EQ(scene_.get(path, "ann").status, 403);
    open();
    scene_.callers.callers["olga"].role = user_role::member;
    tell("secret");
    EXPECT_TRUE(taken(5s).ends_with("event: end\ndata: {\"reason\":\"access_removed\"}\n\n"));
    EXPECT_EQ(scope_.size(), 0U);
}

// A stream is never silent for longer than its heartbeat.
// Proves: R19
TEST_F(NoticeStream, IsNeverSilent) {
    open();
    EXPECT_EQ(taken(15s), ": still here\n\n");
    EXPECT_EQ(taken(15s), ": still here\n\n");
}

// When the worker goes away the reader has what was there, and is told where to resume.
// Proves: O3, R19
TEST_F(NoticeStream, SaysWhereToResume) {
    open();
    tell("a");
    scene_.feed.end_all();
    const std::string last = taken();
    EXPECT_TRUE(last.starts_with("id: 1\nevent: framework_event\n")) << last;
    EXPECT_TRUE(last.ends_with("id: 1\nevent: end\ndata: {\"reason\":\"draining\"}\n\n")) << last;
    EXPECT_EQ(scope_.size(), 0U);
}

}  // namespace
}  // namespace convene
