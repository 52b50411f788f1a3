// SPDX-License-Identifier: Apache-2.0
// What replies to webhooks mean.
#include "integration/webhook_reply.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

using namespace std::chrono_literals;

const wall_time now = parse_rfc3339("2026-01-01T00:00:00Z").value();

webhook_reply read(int status, std::string retry_after = {}) {
    http_reply reply;
    reply.status = status;
    if (!retry_after.empty()) {
        reply.headers.add("retry-after", std::move(retry_after));
    }
    return read_webhook_reply(reply, now);
}

// 2xx is taken, 410 gone, 5xx and what has to do with time is tried again, the rest is final.
// Proves: D12
TEST(WebhookReply, StatusesHaveTheirMeaning) {
    using enum webhook_verdict;
    for (const int status : {200, 201, 204}) {
        EXPECT_EQ(read(status).what, taken) << status;
    }
    EXPECT_EQ(read(410).what, gone);
    for (const int status : {301, 302, 400, 401, 404, 422}) {
        EXPECT_EQ(read(status).what, refused) << status;
    }
    for (const int status : {408, 429, 500, 502, 503, 504}) {
        EXPECT_EQ(read(status).what, failed) << status;
    }
    EXPECT_EQ(read(500).code, "receiver_failed");
    EXPECT_EQ(read(503).code, "receiver_busy");
    EXPECT_EQ(read(404).message, "the receiver answered 404");
}

// A busy receiver says when to come back, in seconds or as a date, by a day at most.
// Proves: D12
TEST(WebhookReply, HonoursRetryAfter) {
    EXPECT_EQ(read(429, "7").retry_after, 7s);
    EXPECT_EQ(read(503, "0").retry_after, 0s);
    EXPECT_EQ(read(503, "99999999999").retry_after, 24h);
    EXPECT_EQ(read(503, "Thu, 01 Jan 2026 00:01:30 GMT").retry_after, 90s);
    EXPECT_EQ(read(503, "Wed, 31 Dec 2025 00:00:00 GMT").retry_after, 0s);
    for (const char* text : {"-1", "soon", "7s", "Thu, 01 Jan 2026 00:01:30 GMT!"}) {
        EXPECT_EQ(read(503, text).retry_after, std::nullopt) << text;
    }
    EXPECT_EQ(read(500, "7").retry_after, std::nullopt);
}

// Without a reply: an address that is not allowed stays so, everything else may pass.
// Proves: X2
TEST(WebhookReply, CallsWithoutAReplyHaveTheirMeaning) {
    const auto without = [](errc code) {
        return read_webhook_reply(result<http_reply>{code}, now);
    };
    using enum webhook_verdict;
    EXPECT_EQ(without(errc::not_authorized).what, refused);
    EXPECT_EQ(without(errc::not_authorized).code, "address_not_allowed");
    EXPECT_EQ(without(errc::invalid_argument).what, refused);
    EXPECT_EQ(without(errc::timed_out).code, "no_reply");
    EXPECT_EQ(without(errc::outcome_unknown).what, failed);
    EXPECT_EQ(without(errc::io_failed).code, "tls_failed");
    EXPECT_EQ(without(errc::unavailable).code, "receiver_unreachable");
    EXPECT_EQ(without(errc::payload_too_large).what, failed);
}

// The engine gets the same as a result: sent, for good, or for now with the receiver's wish.
// Proves: D12
TEST(WebhookReply, BecomesAResult) {
    EXPECT_EQ(send_result_of(read(204)).what, send_result::verdict::sent);
    EXPECT_FALSE(send_result_of(read(410)).outcome.is_retryable);
    EXPECT_FALSE(send_result_of(read(400)).outcome.is_retryable);
    const send_result busy = send_result_of(read(429, "9"));
    EXPECT_TRUE(busy.outcome.is_retryable);
    EXPECT_EQ(busy.outcome.error_code, "receiver_busy");
    EXPECT_EQ(busy.retry_after, 9s);
}

}  // namespace
}  // namespace convene
