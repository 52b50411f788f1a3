// SPDX-License-Identifier: Apache-2.0
// Requests from bytes: what is taken, what is left, and that the way bytes are cut changes nothing.
#include "net/http_request_parser.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

using state = http_request_parser::state;

/// Feeds bytes that grow by `step`, as a connection does, and returns what was not taken.
std::string feed_in_steps(http_request_parser& parser, const std::string& bytes, std::size_t step) {
    std::string waiting;
    std::size_t given = 0;
    while (given < bytes.size() && parser.where() != state::complete &&
           parser.where() != state::refused) {
        waiting += bytes.substr(given, step);
        given = std::min(given + step, bytes.size());
        waiting.erase(0, parser.feed(waiting));
    }
    return waiting;
}

// A request is the same request in pieces of any size, and nothing of the next one is taken.
TEST(HttpRequestParser, ReadsARequestCutAnywhere) {
    const std::string request =
        "POST /a%20b?c=d&e HTTP/1.1\r\nHost: example.org:80\r\nX-Thing:  one two \r\n"
        "Transfer-Encoding: Chunked\r\n\r\n4\r\nWiki\r\n5;x=\"y\"\r\npedia\r\n0\r\nA: b\r\n\r\n";
    const std::string next = "GET / HTTP/1.1\r\n";
    for (std::size_t step = 1; step <= request.size() + next.size(); ++step) {
        http_request_parser parser{http_limits{}};
        const std::string left = feed_in_steps(parser, request + next, step);
        ASSERT_EQ(parser.where(), state::complete) << step;
        EXPECT_TRUE(next.starts_with(left)) << step;
        EXPECT_TRUE(parser.keeps_alive());
        const http_request read = parser.take();
        EXPECT_EQ(read.method, http_method::post);
        EXPECT_EQ(read.path, "/a%20b");
        EXPECT_EQ(read.query, "c=d&e");
        EXPECT_EQ(read.headers.find("x-thing"), "one two");
        EXPECT_EQ(read.headers.find("host"), "example.org:80");
        EXPECT_EQ(read.headers.find("a"), std::nullopt) << "a trailer is no header";
        EXPECT_EQ(read.body, "Wikipedia");
        EXPECT_EQ(parser.where(), state::head);
    }
}

// A chunked body without a byte ends where it ends, cut anywhere. (Beast alone aborts on some of the cuts.)
TEST(HttpRequestParser, ReadsAnEmptyChunkedBodyCutAnywhere) {
    const std::string
        request = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    for (std::size_t step = 1; step <= request.size(); ++step) {
        http_request_parser parser{http_limits{}};
        EXPECT_EQ(feed_in_steps(parser, request, step), "") << step;
        ASSERT_EQ(parser.where(), state::complete) << step;
        EXPECT_EQ(parser.take().body, "");
    }
}

// A refusal does not depend on how the bytes were cut either.
TEST(HttpRequestParser, RefusesTheSameCutAnywhere) {
    const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n";
    for (std::size_t step = 1; step <= request.size(); ++step) {
        http_request_parser parser{http_limits{}};
        static_cast<void>(feed_in_steps(parser, request, step));
        ASSERT_EQ(parser.where(), state::refused) << step;
        EXPECT_EQ(parser.refusal(), http_refusal::folded_header) << step;
    }
}

// The limits are exact: what just fits is taken, one more is refused.
TEST(HttpRequestParser, KeepsItsLimitsExactly) {
    http_limits limits;
    limits.head_bytes = 100;
    limits.header_lines = 3;
    limits.body_bytes = 5;
    const auto outcome = [&](const std::string& bytes) {
        http_request_parser parser{limits};
        static_cast<void>(parser.feed(bytes));
        return parser.where();
    };
    const std::string start = "GET / HTTP/1.1\r\nHost: x\r\n";
    const std::string fits = start + "A: " + std::string(100 - start.size() - 7, 'a') + "\r\n\r\n";
    ASSERT_EQ(fits.size(), 100U);
    EXPECT_EQ(outcome(fits), state::complete);
    EXPECT_EQ(outcome(start + "A: a" + fits.substr(start.size() + 3)), state::refused);
    EXPECT_EQ(outcome(start + "A: b\r\nB: c\r\n\r\n"), state::complete);
    EXPECT_EQ(outcome(start + "A: b\r\nB: c\r\nC: d\r\n\r\n"), state::refused);
    EXPECT_EQ(outcome(start + "Content-Length: 5\r\n\r\n12345"), state::complete);
    EXPECT_EQ(outcome(start + "Content-Length: 6\r\n\r\n"), state::refused);
    const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(outcome(chunked + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), state::complete);
    EXPECT_EQ(outcome(chunked + "3\r\nabc\r\n3\r\n"), state::refused);
}

// Who may go on is told by version and Connection, as a list and in any case.
TEST(HttpRequestParser, KnowsWhoKeepsTheConnection) {
    const auto keeps = [](const std::string& bytes) {
        http_request_parser parser{http_limits{}};
        static_cast<void>(parser.feed(bytes));
        EXPECT_EQ(parser.where(), state::complete) << bytes;
        return parser.keeps_alive();
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: x\r\nConnection: CLOSE\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: x\r\nConnection: te, close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace convene
