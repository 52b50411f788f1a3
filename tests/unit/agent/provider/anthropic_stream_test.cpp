// SPDX-License-Identifier: Apache-2.0
// Streams of the Messages API: blocks, their deltas, the end; and what no stream should have.
#include "agent/provider/anthropic_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "answer_scene.hpp"

namespace convene {

namespace {

using testing::ElementsAre;

std::string event(std::string_view type, std::string_view members) {
    return "event: " + std::string{type} + "\ndata: {\"type\":\"" + std::string{type} + "\"" +
           std::string{members} + "}\n\n";
}

const std::string start = event(
    "message_start",
    R"(,"message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}})"
);

std::string block(int index, std::string_view content) {
    return event(
        "content_block_start",
        ",\"index\":" + std::to_string(index) + ",\"content_block\":" + std::string{content}
    );
}

std::string delta(int index, std::string_view members) {
    return event(
        "content_block_delta",
        ",\"index\":" + std::to_string(index) + ",\"delta\":" + std::string{members}
    );
}

std::string stop(int index) {
    return event("content_block_stop", ",\"index\":" + std::to_string(index));
}

std::string end_with(std::string_view reason) {
    return event(
               "message_delta",
               R"(,"delta":{"stop_reason":")" + std::string{reason} +
                   R"(","stop_sequence":null},"usage":{"output_tokens":21})"
           ) +
           event("message_stop", "");
}

std::string text_block(int index, std::string_view text) {
    return block(index, R"({"type":"text","text":""})") +
           delta(index, R"({"type":"text_delta","text":")" + std::string{text} + "\"}") +
           stop(index);
}

heard_answer hear_all(std::string_view bytes, answer_limits limits = {}) {
    return hear<anthropic_stream>(bytes, bytes.size(), limits);
}

// Thinking with its signature, text, two calls, usage: the same pieces whatever way the bytes are cut.
// Proves: A8
TEST(AnthropicStream, GivesTheSamePiecesHoweverTheBytesAreCut) {
    const std::string bytes = start + event("ping", "") +
                              block(0, R"({"type":"thinking","thinking":"","signature":""})") +
                              delta(0, R"({"type":"thinking_delta","thinking":"let me see"})") +
                              delta(0, R"({"type":"signature_delta","signature":"c2ln"})") +
                              stop(0) + text_block(1, "Hi \U0001F600") +
                              block(
                                  2, R"({"type":"tool_use","id":"toolu_1","name":"add","input":{}})"
                              ) +
                              delta(2, R"({"type":"input_json_delta","partial_json":""})") +
                              delta(2, R"({"type":"input_json_delta","partial_json":"{\"a\":"})") +
                              delta(2, R"({"type":"input_json_delta","partial_json":"1}"})") +
                              stop(2) +
                              block(
                                  3, R"({"type":"tool_use","id":"toolu_2","name":"now","input":{}})"
                              ) +
                              stop(3) + end_with("tool_use");
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const heard_answer heard = hear<anthropic_stream>(bytes, piece);
        ASSERT_TRUE(heard.answer.has_value()) << piece;
        ASSERT_THAT(
            heard.pieces,
            ElementsAre(
                "think let me see",
                "say Hi \U0001F600",
                "call toolu_1 add",
                "with toolu_1 {\"a\":",
                "with toolu_1 1}",
                "call toolu_2 now",
                "end toolu_1",
                "end toolu_2"
            )
        ) << piece;
        const chat_message& said = heard.answer->message;
        EXPECT_EQ(said.text, "Hi \U0001F600");
        EXPECT_EQ(said.thinking, "let me see");
        EXPECT_EQ(said.thinking_signature, "c2ln");
        ASSERT_EQ(said.calls.size(), 2U);
        EXPECT_EQ(said.calls[0].arguments.str(), R"({"a":1})");
        EXPECT_EQ(said.calls[1].arguments.str(), "{}");
        EXPECT_EQ(heard.answer->finish, finish_reason::tool_calls);
        EXPECT_EQ(heard.answer->usage, (token_usage{13, 21}));
    }
}

TEST(AnthropicStream, ReadsWhyTheModelStopped) {
    const auto reason_for = [](std::string_view word) {
        return hear_all(start + text_block(0, "x") + end_with(word))
            .answer.value_or(model_answer{})
            .finish;
    };
    EXPECT_EQ(reason_for("end_turn"), finish_reason::stop);
    EXPECT_EQ(reason_for("stop_sequence"), finish_reason::stop);
    EXPECT_EQ(reason_for("max_tokens"), finish_reason::length);
    EXPECT_EQ(reason_for("model_context_window_exceeded"), finish_reason::length);
    EXPECT_EQ(reason_for("refusal"), finish_reason::refused);
    EXPECT_EQ(reason_for("pause_turn"), finish_reason::stop);
    EXPECT_FALSE(hear_all(start + text_block(0, "x") + event("message_stop", "")).answer.has_value()
    );
}

// Several blocks, and what the provider hides, are kept as they were: they have to be sent back so.
// Proves: A8
TEST(AnthropicStream, KeepsEveryBlockOfThinking) {
    const heard_answer heard = hear_all(
        start + block(0, R"({"type":"thinking","thinking":"one","signature":"c2"})") +
        delta(0, R"({"type":"signature_delta","signature":"ln"})") + stop(0) +
        block(1, R"({"type":"redacted_thinking","data":"aGlkZGVu"})") + stop(1) +
        text_block(2, "x") + end_with("end_turn")
    );
    ASSERT_TRUE(heard.answer.has_value());
    EXPECT_EQ(heard.answer->message.thinking, "one");
    const std::vector<thinking_block> wanted{{"one", "c2ln", false}, {"", "aGlkZGVu", true}};
    EXPECT_EQ(thinking_of(heard.answer->message), wanted);
}

// Events, blocks and deltas that a later version of the API may add say nothing.
TEST(AnthropicStream, PassesOverWhatItDoesNotKnow) {
    const heard_answer heard = hear_all(
        start + event("news", R"(,"index":5)") +
        block(0, R"({"type":"server_tool_use","id":"s"})") +
        delta(0, R"({"type":"input_json_delta","partial_json":"{}"})") + stop(0) +
        block(1, R"({"type":"text","text":"a"})") +
        delta(1, R"({"type":"citations_delta","citation":{}})") + stop(1) + end_with("end_turn")
    );
    EXPECT_THAT(heard.pieces, ElementsAre("say a"));
    EXPECT_TRUE(heard.answer.has_value());
}

// Arguments that come whole with the start of the call.
TEST(AnthropicStream, TakesArgumentsThatAreNotStreamed) {
    const heard_answer heard = hear_all(
        start + block(0, R"({"type":"tool_use","id":"t","name":"f","input":{"a":[1]}})") + stop(0) +
        end_with("tool_use")
    );
    EXPECT_THAT(heard.pieces, ElementsAre("call t f", "with t {\"a\":[1]}", "end t"));
}

TEST(AnthropicStream, HearsErrors) {
    const heard_answer busy = hear_all(
        start + event("error", R"(,"error":{"type":"overloaded_error","message":"Overloaded"})")
    );
    EXPECT_EQ(busy.taken.error(), errc::model_overloaded);
    ASSERT_TRUE(busy.said.has_value());
    EXPECT_EQ(busy.said->type, "overloaded_error");
    EXPECT_EQ(busy.said->advice, retry_advice::ask_again);
    const heard_answer refused = hear_all(
        event("error", R"(,"error":{"type":"invalid_request_error","message":"no"})")
    );
    EXPECT_EQ(refused.taken.error(), errc::model_refused);
}

TEST(AnthropicStream, RefusesWhatIsNoEvent) {
    const std::string malformed[] = {
        "data: {\n\n",
        "data: [1]\n\n",
        delta(0, R"({"type":"text_delta","text":"x"})"),
        stop(0),
        block(0, R"({"type":"text"})") + block(0, R"({"type":"text"})"),
        event("content_block_start", ""),
        block(0, R"({"type":"tool_use","id":"t"})"),
    };
    for (const std::string& bytes : malformed) {
        EXPECT_EQ(hear_all(start + bytes).taken.error(), errc::corrupt_data) << bytes;
    }
}

// Proves: A8
TEST(AnthropicStream, HasLimits) {
    answer_limits limits;
    limits.text_bytes = 8;
    limits.argument_bytes = 8;
    limits.calls = 1;
    const auto is_too_large = [&limits](const std::string& bytes) {
        const heard_answer heard = hear_all(start + bytes, limits);
        return heard.taken.has_error() && heard.taken.error() == errc::payload_too_large;
    };
    EXPECT_FALSE(is_too_large(text_block(0, "12345678")));
    EXPECT_TRUE(is_too_large(text_block(0, "123456789")));
    const std::string thinking = block(0, R"({"type":"thinking","thinking":"x"})");
    EXPECT_FALSE(
        is_too_large(thinking + delta(0, R"({"type":"signature_delta","signature":"12345678"})"))
    );
    EXPECT_TRUE(
        is_too_large(thinking + delta(0, R"({"type":"signature_delta","signature":"123456789"})"))
    );
    EXPECT_TRUE(is_too_large(thinking + block(1, R"({"type":"thinking"})")));
    const std::string call = block(0, R"({"type":"tool_use","id":"t","name":"f","input":{}})");
    EXPECT_TRUE(
        is_too_large(call + block(1, R"({"type":"tool_use","id":"u","name":"f","input":{}})"))
    );
    EXPECT_TRUE(
        is_too_large(call + delta(0, R"({"type":"input_json_delta","partial_json":"123456789"})"))
    );
    std::string many;
    for (int i = 0; i < 1025; ++i) {
        many += block(i, R"({"type":"other"})");
    }
    EXPECT_TRUE(is_too_large(many));
}

}  // namespace

}  // namespace convene
