// SPDX-License-Identifier: Apache-2.0
// What providers' refusals mean, and which are worth another try.
#include "agent/provider/provider_error.hpp"

#include <gtest/gtest.h>

namespace convene {

namespace {

using enum retry_advice;

void expect_reply(int status, std::string_view body, errc code, retry_advice advice) {
    const provider_error said = error_of_reply(status, body);
    EXPECT_EQ(said.code, code) << status << body;
    EXPECT_EQ(said.advice, advice) << status << body;
}

// Proves: A8
TEST(ProviderError, IsReadFromAReply) {
    expect_reply(429, "", errc::model_overloaded, ask_again);
    expect_reply(
        529,
        R"({"type":"error","error":{"type":"overloaded_error"}})",
        errc::model_overloaded,
        ask_again
    );
    expect_reply(503, "<html>", errc::model_overloaded, ask_again);
    expect_reply(500, "", errc::model_unavailable, ask_again);
    expect_reply(504, "", errc::model_unavailable, ask_again);
    expect_reply(408, "", errc::model_unavailable, ask_again);
    expect_reply(400, "", errc::model_refused, give_up);
    expect_reply(401, R"({"error":{"message":"bad key"}})", errc::model_refused, give_up);
    expect_reply(302, "", errc::model_refused, give_up);
    expect_reply(413, "", errc::payload_too_large, give_up);
}

// The status of these is that of a limit that passes; waiting does not pay them.
TEST(ProviderError, GivesUpWhereNothingButMoneyHelps) {
    expect_reply(
        429,
        R"({"error":{"type":"insufficient_quota","code":"insufficient_quota"}})",
        errc::model_refused,
        give_up
    );
    expect_reply(503, R"({"error":{"type":"billing_error"}})", errc::model_refused, give_up);
}

TEST(ProviderError, IsReadFromAFrame) {
    const auto code_of = [](std::string_view frame) { return error_of_frame(frame).code; };
    EXPECT_EQ(code_of(R"({"error":{"type":"rate_limit_error"}})"), errc::model_overloaded);
    EXPECT_EQ(code_of(R"({"error":{"code":"rate_limit_exceeded"}})"), errc::model_overloaded);
    EXPECT_EQ(code_of(R"({"error":{"code":502}})"), errc::model_unavailable);
    EXPECT_EQ(code_of(R"({"error":{"code":400}})"), errc::model_refused);
    EXPECT_EQ(code_of(R"({"error":{"type":"api_error"}})"), errc::model_unavailable);
    EXPECT_EQ(code_of(R"({"error":{"type":"authentication_error"}})"), errc::model_refused);
    EXPECT_EQ(code_of(R"({"error":{"type":"request_too_large"}})"), errc::payload_too_large);
    EXPECT_EQ(code_of("boom"), errc::model_unavailable);
}

// Words for the log are text, whatever the provider sent.
TEST(ProviderError, HasWords) {
    const provider_error plain = error_of_reply(500, "no JSON \xFF");
    EXPECT_EQ(plain.text, "no JSON \uFFFD");
    const provider_error coded = error_of_reply(
        400, R"({"error":{"message":"too long","code":"context_length_exceeded"}})"
    );
    EXPECT_EQ(coded.type, "context_length_exceeded");
    EXPECT_EQ(coded.text, "too long");
    EXPECT_EQ(error_of_reply(400, R"({"message":"flat","type":"x"})").text, "flat");
}

}  // namespace

}  // namespace convene
