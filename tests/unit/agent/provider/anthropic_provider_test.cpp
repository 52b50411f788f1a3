// SPDX-License-Identifier: Apache-2.0
// What Anthropic's API is sent, byte for byte.
#include "agent/provider/anthropic_provider.hpp"

#include <gtest/gtest.h>

#include <string>

#include "agent/provider/thinking_seal.hpp"
#include "asked.hpp"

namespace convene {

namespace {

chat_message result_for(std::string id, std::string text) {
    chat_message said = said_by(chat_role::tool, std::move(text));
    said.call_id = std::move(id);
    return said;
}

anthropic_settings settings_for(std::string model) {
    anthropic_settings settings;
    settings.model = std::move(model);
    return settings;
}

std::string messages_in(const model_request& request) {
    const std::string body = anthropic_body_of(request, settings_for("m")).str();
    const std::size_t at = body.find("\"messages\":");
    return body.substr(at + 11, body.size() - at - 12);
}

// All results of one message's calls, and what was said behind them, are one message of the user's.
// Proves: A8
TEST(AnthropicProvider, SendsAConversation) {
    model_request request;
    request.system = "be brief";
    request.temperature = 0.25;
    request.messages.push_back(said_by(chat_role::user, "hi"));
    request.messages.back().name = "Ana";
    request.messages.push_back(said_by(chat_role::user, "and I"));
    request.messages.back().name = "Bo";
    request.messages.push_back(said_by(chat_role::assistant, "one moment"));
    request.messages.back().thinking = "which?";
    request.messages.back().thinking_signature = "c2ln";
    request.messages.back().calls = {
        call_of("functions.now:0", "now", "{}"), call_of("b", "add", R"({"x":1})")
    };
    request.messages.push_back(result_for("functions.now:0", "12:00"));
    request.messages.push_back(result_for("b", "no"));
    request.messages.back().is_error = true;
    request.messages.push_back(said_by(chat_role::user, "well?"));
    request.messages.push_back(said_by(chat_role::assistant, "noon"));
    request.messages.push_back(said_by(chat_role::assistant, "exactly"));
    request.messages.push_back(said_by(chat_role::user, "ok"));
    request.tools.push_back({"now", "Tells the time.", *json_text::parse(R"({"type":"object"})")});
    EXPECT_EQ(
        anthropic_body_of(request, settings_for("m-1")).str(),
        R"({"model":"m-1","stream":true,"max_tokens":4096,"temperature":0.25,"system":"be brief","messages":[)"
        R"({"role":"user","content":[{"type":"text","text":"Ana: hi"},{"type":"text","text":"Bo: and I"}]},)"
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"which?","signature":"c2ln"},)"
        R"({"type":"text","text":"one moment"},)"
        R"({"type":"tool_use","id":"functions_2Enow_3A0","name":"now","input":{}},)"
        R"({"type":"tool_use","id":"b","name":"add","input":{"x":1}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_2Enow_3A0","content":"12:00"},)"
        R"({"type":"tool_result","tool_use_id":"b","content":"no","is_error":true},)"
        R"({"type":"text","text":"well?"}]},)"
        R"({"role":"assistant","content":[{"type":"text","text":"noon"},{"type":"text","text":"exactly"}]},)"
        R"({"role":"user","content":[{"type":"text","text":"ok"}]}],)"
        R"("tools":[{"name":"now","description":"Tells the time.","input_schema":{"type":"object"}}]})"
    );
}

// The first message is a user's, no text is blank, and one that says nothing is left out.
TEST(AnthropicProvider, KeepsTheRulesOfTheApi) {
    model_request request;
    request.messages.push_back(said_by(chat_role::assistant, "hello"));
    request.messages.push_back(said_by(chat_role::user, " \n"));
    request.messages.push_back(said_by(chat_role::assistant, " "));
    request.messages.push_back(said_by(chat_role::user, "x"));
    EXPECT_EQ(
        messages_in(request),
        R"j([{"role":"user","content":[{"type":"text","text":"(nothing was said)"}]},)j"
        R"j({"role":"assistant","content":[{"type":"text","text":"hello"}]},)j"
        R"j({"role":"user","content":[{"type":"text","text":"(nothing was said)"},)j"
        R"j({"type":"text","text":"x"}]}])j"
    );
}

// Thinking goes back as it came, in all its blocks; thinking of others, which has no seal, stays here.
// Proves: A8
TEST(AnthropicProvider, SendsThinkingBack) {
    model_request request;
    request.messages.push_back(said_by(chat_role::user, "x"));
    request.messages.push_back(said_by(chat_role::assistant, "y"));
    request.messages.back().thinking = "onetwo";
    request.messages.back().thinking_signature = seal_of(
        {{"one", "s1", false}, {"", "hidden", true}, {"two", "s2", false}}
    );
    const std::string sealed = messages_in(request);
    EXPECT_NE(
        sealed.find(
            R"("content":[{"type":"thinking","thinking":"one","signature":"s1"},)"
            R"({"type":"redacted_thinking","data":"hidden"},)"
            R"({"type":"thinking","thinking":"two","signature":"s2"},{"type":"text","text":"y"}])"
        ),
        std::string::npos
    ) << sealed;
    request.messages.back().thinking_signature.clear();
    EXPECT_EQ(messages_in(request).find("thinking"), std::string::npos);
    request.messages.back().thinking_signature = "[broken";
    EXPECT_EQ(messages_in(request).find("thinking"), std::string::npos);
}

// What it may think comes on top of what it may say; then it takes no temperature.
TEST(AnthropicProvider, AsksForThinking) {
    model_request request;
    request.max_output_tokens = 100;
    request.temperature = 1.5;
    anthropic_settings settings = settings_for("m");
    settings.thinking_tokens = 2'000;
    EXPECT_EQ(
        anthropic_body_of(request, settings).str(),
        R"({"model":"m","stream":true,"max_tokens":2100,)"
        R"("thinking":{"type":"enabled","budget_tokens":2000},"messages":[]})"
    );
}

TEST(AnthropicProvider, KnowsWhereAndAsWhom) {
    anthropic_settings settings = settings_for("m");
    settings.key = "sk-ant-1";
    const http_call call = anthropic_provider{settings}.call_of({});
    EXPECT_EQ(call.url, "https://api.anthropic.com/v1/messages");
    EXPECT_EQ(call.headers.find("x-api-key"), "sk-ant-1");
    EXPECT_EQ(call.headers.find("anthropic-version"), "2023-06-01");
    settings.key.clear();
    EXPECT_EQ(anthropic_provider{settings}.call_of({}).headers.find("x-api-key"), std::nullopt);
}

}  // namespace

}  // namespace convene
