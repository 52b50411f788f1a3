// SPDX-License-Identifier: Apache-2.0
// Frames of server-sent events, however their bytes arrive.
#include "net/sse_frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {

namespace {

using namespace std::chrono_literals;

/// All frames of a stream that arrives in pieces of one length.
std::vector<sse_frame> frames_of(std::string_view stream, std::size_t piece) {
    sse_frames frames{1024};
    std::vector<sse_frame> seen;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        EXPECT_TRUE(frames.push(stream.substr(at, piece)).has_value());
        while (auto frame = frames.next()) {
            seen.push_back(std::move(*frame));
        }
    }
    return seen;
}

// The same frames come out whatever way the bytes were cut, and whatever ends the lines.
TEST(SseFrames, AreTheSameHoweverTheBytesAreCut) {
    const std::vector<sse_frame> wanted{
        {"message", "{\"a\":1}", "7"}, {"erased", "one\ntwo", "7"}, {"message", " x", "1-8"}
    };
    for (const std::string end : {"\n", "\r", "\r\n"}) {
        const std::string stream = "retry: 700" + end + end + ": still here" + end + end + "id: 7" +
                                   end + "event: message" + end + "data: {\"a\":1}" + end + end +
                                   "event:erased" + end + "data:one" + end + "data: two" + end +
                                   end + "id: 1-8" + end + "data:  x" + end + end;
        for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
            EXPECT_EQ(frames_of(stream, piece), wanted) << piece;
        }
    }
}

// What the blank line does not end may be half of something: it is no frame.
TEST(SseFrames, LeaveOutWhatIsCutOff) {
    EXPECT_TRUE(frames_of("id: 1\ndata: x\n", 5).empty());
    EXPECT_TRUE(frames_of("id: 1\ndata: x", 5).empty());
}

TEST(SseFrames, PassOverWhatSaysNothing) {
    EXPECT_TRUE(frames_of("\n\n: comment\n\nevent: ping\n\nid: 3\n\n", 4).empty());
    const std::vector<sse_frame> empty_data{{"message", "", ""}};
    EXPECT_EQ(frames_of("data\n\n", 2), empty_data);
    EXPECT_EQ(frames_of("unknown: x\ndata:\n\n", 3), empty_data);
}

// An id stays until the next one; one with U+0000 can't be sent back in a header.
TEST(SseFrames, RememberTheLastId) {
    const std::vector<sse_frame> wanted{{"message", "a", "4"}, {"message", "b", "4"}};
    EXPECT_EQ(frames_of(std::string{"id: 4\ndata: a\n\nid: 5\0\ndata: b\n\n", 32}, 6), wanted);
}

TEST(SseFrames, TakeAByteOrderMarkAtTheBeginningOnly) {
    const std::vector<sse_frame> wanted{{"message", "a", ""}};
    EXPECT_EQ(
        frames_of(
            "\xEF\xBB\xBF"
            "data: a\n\n\xEF\xBB\xBF"
            "data: b\n\n",
            4
        ),
        wanted
    );
}

TEST(SseFrames, KnowHowLongToWait) {
    sse_frames frames{100};
    EXPECT_FALSE(frames.retry().has_value());
    ASSERT_TRUE(frames.push("retry: 1500\n\nretry: soon\n\nretry: -1\n\nretry: 99999999\n\n"));
    EXPECT_EQ(frames.retry(), 1500ms);
}

// A frame without an end does not fill the memory.
TEST(SseFrames, RefuseAFrameThatIsTooLong) {
    sse_frames one_line{100};
    EXPECT_TRUE(one_line.push("data: " + std::string(90, 'x')).has_value());
    EXPECT_EQ(one_line.push(std::string(10, 'x')).error(), errc::payload_too_large);

    sse_frames many_lines{100};
    result<> pushed;
    for (int i = 0; i < 30 && pushed; ++i) {
        pushed = many_lines.push("data: xxxx\n");
    }
    EXPECT_EQ(pushed.error(), errc::payload_too_large);
}

}  // namespace

}  // namespace convene
