// SPDX-License-Identifier: Apache-2.0
// Streams of chat completions, as OpenAI and compatible servers send them, and as none should.
#include "agent/provider/openai_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "answer_scene.hpp"

namespace convene {

namespace {

using testing::ElementsAre;

std::string chunk(std::string_view delta, std::string_view reason = "null") {
    return R"(data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":)" +
           std::string{delta} + R"(,"finish_reason":)" + std::string{reason} + "}]}\n\n";
}

std::string call_chunk(std::string_view call) {
    return chunk(R"({"tool_calls":[)" + std::string{call} + "]}");
}

const std::string end_of_text = chunk("{}", "\"stop\"") + "data: [DONE]\n\n";
const std::string end_of_calls = chunk("{}", "\"tool_calls\"") + "data: [DONE]\n\n";

heard_answer hear_all(
    std::string_view bytes, answer_limits limits = {}, call_ids ids = {"seed", {}}
) {
    return hear<openai_stream>(bytes, bytes.size(), limits, std::move(ids));
}

// Thoughts, text, two calls whose arguments come in turns, usage: the same pieces whatever way the bytes are cut.
// Proves: A8
TEST(OpenaiStream, GivesTheSamePiecesHoweverTheBytesAreCut) {
    const std::string bytes =
        ": comment\n\n" + chunk(R"({"role":"assistant","content":""})") +
        chunk(R"({"reasoning_content":"hm"})") + chunk(R"({"content":"Hi \ud83d\ude00"})") +
        chunk("{\"content\":\"\U0001F469\"}") +
        call_chunk(
            R"({"index":0,"id":"a","type":"function","function":{"name":"add","arguments":""}})"
        ) +
        call_chunk(
            R"({"index":1,"id":"b","type":"function","function":{"name":"sub","arguments":"{\"x\""}})"
        ) +
        call_chunk(R"({"index":0,"function":{"arguments":"{\"y\":1}"}})") +
        call_chunk(R"({"index":1,"function":{"arguments":":2}"}})") +
        chunk("{}", "\"tool_calls\"") +
        R"(data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}})"
        "\n\n"
        "data: [DONE]\n\n";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const heard_answer heard = hear<openai_stream>(bytes, piece);
        ASSERT_TRUE(heard.answer.has_value()) << piece;
        ASSERT_THAT(
            heard.pieces,
            ElementsAre(
                "think hm",
                "say Hi \U0001F600",
                "say \U0001F469",
                "call a add",
                "call b sub",
                "with b {\"x\"",
                "with a {\"y\":1}",
                "with b :2}",
                "end a",
                "end b"
            )
        ) << piece;
        EXPECT_EQ(heard.answer->finish, finish_reason::tool_calls);
        EXPECT_EQ(heard.answer->usage, (token_usage{7, 5}));
        const chat_message& said = heard.answer->message;
        EXPECT_EQ(said.role, chat_role::assistant);
        EXPECT_EQ(said.text, "Hi \U0001F600\U0001F469");
        EXPECT_EQ(said.thinking, "hm");
        ASSERT_EQ(said.calls.size(), 2U);
        EXPECT_EQ(said.calls[0].arguments.str(), R"({"y":1})");
        EXPECT_EQ(said.calls[1].arguments.str(), R"({"x":2})");
        EXPECT_TRUE(heard.answer->repairs.empty());
    }
}

// Half a character ends one delta, its other half begins the next one.
TEST(OpenaiStream, JoinsCharactersThatTwoDeltasShare) {
    const heard_answer escaped = hear_all(
        chunk(R"({"content":"a\ud83d"})") + chunk(R"({"content":"\ude00b"})") + end_of_text
    );
    EXPECT_THAT(escaped.pieces, ElementsAre("say a", "say \U0001F600b"));
    const heard_answer raw = hear_all(
        chunk("{\"content\":\"a\xF0\x9F\"}") + chunk("{\"content\":\"\x98\x80\"}") + end_of_text
    );
    EXPECT_THAT(raw.pieces, ElementsAre("say a", "say \U0001F600"));
    EXPECT_TRUE(raw.answer && raw.answer->repairs.empty());
}

// What is no text is repaired, and the answer says so.
TEST(OpenaiStream, RepairsWhatIsNoText) {
    const std::string nul{'\0'};
    const heard_answer heard = hear_all(
        chunk("{\"content\":\"a\\u0000b\xFF" + nul + "\\udc00\"}") + end_of_text
    );
    ASSERT_TRUE(heard.answer.has_value());
    EXPECT_EQ(heard.answer->message.text, "a\uFFFDb\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(heard.answer->repairs.nul_characters, 2U);
    EXPECT_EQ(heard.answer->repairs.invalid_utf8, 1U);
    EXPECT_EQ(heard.answer->repairs.lone_surrogates, 1U);
}

TEST(OpenaiStream, ReadsWhyTheModelStopped) {
    const auto reason_for = [](std::string_view word) {
        return hear_all(chunk(R"({"content":"x"})", word)).answer.value_or(model_answer{}).finish;
    };
    EXPECT_EQ(reason_for("\"stop\""), finish_reason::stop);
    EXPECT_EQ(reason_for("\"length\""), finish_reason::length);
    EXPECT_EQ(reason_for("\"content_filter\""), finish_reason::refused);
    EXPECT_EQ(reason_for("\"eos\""), finish_reason::stop);
    EXPECT_EQ(reason_for("\"tool_calls\""), finish_reason::stop) << "there are none";
}

// Servers that send no [DONE] have ended all the same; one that gave no reason has not.
TEST(OpenaiStream, IsCompleteWithItsReason) {
    EXPECT_TRUE(hear_all(chunk(R"({"content":"x"})", "\"stop\"")).answer.has_value());
    EXPECT_FALSE(hear_all(chunk(R"({"content":"x"})")).answer.has_value());
    EXPECT_FALSE(hear_all(chunk(R"({"content":"x"})") + "data: [DONE]\n\n").answer.has_value());
}

// `reasoning`, calls without index or id, all with the same index, `stop` behind calls.
// Proves: A8
TEST(OpenaiStream, ReadsCompatibleServers) {
    const heard_answer unnumbered = hear_all(
        chunk(R"({"reasoning":"so"})") +
        call_chunk(R"({"id":"a","function":{"name":"f","arguments":"{}"}})") +
        call_chunk(R"({"id":"b","function":{"name":"g","arguments":"{}"}})") + end_of_text
    );
    EXPECT_THAT(
        unnumbered.pieces,
        ElementsAre("think so", "call a f", "with a {}", "call b g", "with b {}", "end a", "end b")
    );
    EXPECT_TRUE(unnumbered.answer && unnumbered.answer->finish == finish_reason::tool_calls);
    const heard_answer same_index = hear_all(
        call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
        call_chunk(R"({"index":0,"id":"b","function":{"name":"f","arguments":"{}"}})") +
        end_of_calls
    );
    EXPECT_TRUE(same_index.answer && same_index.answer->message.calls.size() == 2);
    const heard_answer without_id = hear_all(
        call_chunk(R"({"function":{"name":"f","arguments":"{}"}})") +
        call_chunk(R"({"function":{"name":"f","arguments":"{}"}})") + end_of_calls
    );
    ASSERT_TRUE(without_id.answer && without_id.answer->message.calls.size() == 2);
    EXPECT_EQ(without_id.answer->message.calls[0].id, "call_seed_1");
    EXPECT_EQ(without_id.answer->message.calls[1].id, "call_seed_2");
}

// An id that the conversation has already would give an old result to a new call.
TEST(OpenaiStream, GivesACallANewIdWhereItsOwnIsTaken) {
    const heard_answer heard = hear_all(
        call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
            end_of_calls,
        {},
        {"seed", {"a"}}
    );
    ASSERT_TRUE(heard.answer && heard.answer->message.calls.size() == 1);
    EXPECT_EQ(heard.answer->message.calls[0].id, "call_seed_1");
}

// A name that comes behind the first arguments names all of them; without any there is no call.
TEST(OpenaiStream, WaitsForTheNameOfACall) {
    const std::string nameless = call_chunk(
        R"({"index":0,"id":"a","function":{"arguments":"{\"x\":"}})"
    );
    const heard_answer late = hear_all(
        nameless + call_chunk(R"({"index":0,"function":{"name":"f","arguments":"1}"}})") +
        end_of_calls
    );
    EXPECT_THAT(late.pieces, ElementsAre("call a f", "with a {\"x\":", "with a 1}", "end a"));
    EXPECT_EQ(hear_all(nameless + end_of_calls).taken.error(), errc::corrupt_data);
}

// Arguments that are no object are kept whole, in one.
// Proves: A8
TEST(OpenaiStream, PutsWhatIsNoObjectIntoOne) {
    const auto arguments_for = [](std::string_view text) {
        const heard_answer heard = hear_all(
            call_chunk(
                R"({"index":0,"id":"a","function":{"name":"f","arguments":)" + std::string{text} +
                "}}"
            ) +
            end_of_calls
        );
        return heard.answer && !heard.answer->message.calls.empty()
                   ? heard.answer->message.calls[0].arguments.str()
                   : "none";
    };
    EXPECT_EQ(arguments_for(R"("")"), "{}");
    EXPECT_EQ(arguments_for(R"("{ \"b\" : 1, \"a\" : \"\u0041\" }")"), R"({"b":1,"a":"A"})");
    EXPECT_EQ(arguments_for(R"("[1, 2]")"), R"({"value":[1,2]})");
    EXPECT_EQ(arguments_for(R"("\"x\"")"), R"({"value":"x"})");
    EXPECT_EQ(arguments_for(R"("{broken")"), R"({"value":"{broken"})");
    EXPECT_EQ(arguments_for(R"("{\"a\":\"\\u0000\"}")"), "{\"a\":\"\uFFFD\"}");
}

// A call whose arguments the length limit cut off is not made.
// Proves: A8
TEST(OpenaiStream, LeavesOutACallThatWasCutOff) {
    const std::string
        calls = call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
                call_chunk(
                    R"({"index":1,"id":"b","function":{"name":"rm","arguments":"{\"path\":\"/"}})"
                );
    const heard_answer cut = hear_all(calls + chunk("{}", "\"length\""));
    ASSERT_TRUE(cut.answer.has_value());
    ASSERT_EQ(cut.answer->message.calls.size(), 1U);
    EXPECT_EQ(cut.answer->message.calls[0].id, "a");
    EXPECT_EQ(cut.pieces.back(), "end a");
    const heard_answer refused = hear_all(calls + chunk("{}", "\"content_filter\""));
    EXPECT_TRUE(refused.answer && refused.answer->message.calls.empty());
}

// An error inside the stream is the provider's, with its words for the log.
TEST(OpenaiStream, HearsErrors) {
    const heard_answer heard = hear_all(
        chunk(R"({"content":"x"})") +
        R"(data: {"error":{"message":"too busy","type":"server_error","code":429}})"
        "\n\n"
    );
    EXPECT_EQ(heard.taken.error(), errc::model_overloaded);
    ASSERT_TRUE(heard.said.has_value());
    EXPECT_EQ(heard.said->text, "too busy");
    EXPECT_EQ(heard.pieces.back(), "say x");
    const heard_answer word = hear_all(R"(data: {"error":"boom"})"
                                       "\n\n");
    EXPECT_TRUE(word.said && word.said->text == "boom");
    const heard_answer named = hear_all(
        "event: error\n"
        R"(data: {"message":"bad"})"
        "\n\n"
    );
    EXPECT_EQ(named.taken.error(), errc::model_unavailable);
}

TEST(OpenaiStream, RefusesWhatIsNoChunk) {
    for (const std::string_view bytes :
         {"data: {\n\n", "data: []\n\n", "data: \n\n", "data: DONE\n\n", "data: {\"choices\":[}\n\n"
         }) {
        EXPECT_EQ(hear_all(bytes).taken.error(), errc::corrupt_data) << bytes;
    }
    // Other types than ours, and members we do not know, say nothing.
    const heard_answer odd = hear_all(
        R"(data: {"choices":{"a":1},"usage":null,"error":null,"x":[1]})"
        "\n\n" +
        chunk(R"({"content":7,"tool_calls":{"a":1},"reasoning":[]})") +
        R"(data: {"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":-1,"completion_tokens":9e18}})"
        "\n\n"
    );
    ASSERT_TRUE(odd.answer.has_value());
    EXPECT_TRUE(odd.pieces.empty());
    EXPECT_EQ(odd.answer->usage, token_usage{});
}

// Text, arguments, calls and frames have limits, to the byte.
// Proves: A8
TEST(OpenaiStream, HasLimits) {
    answer_limits limits;
    limits.text_bytes = 8;
    limits.argument_bytes = 8;
    limits.calls = 1;
    limits.frame_bytes = 512;
    const auto error_of = [&limits](const std::string& bytes) {
        return hear_all(bytes, limits).taken.has_error() ? hear_all(bytes, limits).taken.error()
                                                         : error_code{};
    };
    EXPECT_EQ(error_of(chunk(R"({"content":"12345678"})") + end_of_text), error_code{});
    EXPECT_EQ(
        error_of(chunk(R"({"content":"12345"})") + chunk(R"({"content":"6789"})")),
        errc::payload_too_large
    );
    EXPECT_EQ(error_of(chunk(R"({"reasoning":"123456789"})")), errc::payload_too_large);
    const std::string call = call_chunk(
        R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1 }"}})"
    );
    EXPECT_EQ(error_of(call + end_of_calls), error_code{});
    EXPECT_EQ(
        error_of(call + call_chunk(R"({"index":0,"function":{"arguments":" "}})")),
        errc::payload_too_large
    );
    EXPECT_EQ(
        error_of(call + call_chunk(R"({"index":1,"id":"b","function":{"name":"f"}})")),
        errc::payload_too_large
    );
    EXPECT_EQ(error_of("data: " + std::string(600, ' ') + "\n\n"), errc::payload_too_large);
}

}  // namespace

}  // namespace convene
