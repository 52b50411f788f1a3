// SPDX-License-Identifier: Apache-2.0
// What an OpenAI-compatible server is sent, byte for byte.
#include "agent/provider/openai_provider.hpp"

#include <gtest/gtest.h>

#include <string>

#include "asked.hpp"

namespace convene {

namespace {

openai_settings settings_for(std::string model) {
    openai_settings settings;
    settings.model = std::move(model);
    return settings;
}

// Proves: A8
TEST(OpenaiProvider, SendsAConversation) {
    model_request request;
    request.system = "be brief";
    request.temperature = 0.5;
    request.messages.push_back(said_by(chat_role::user, "hi \u00e9\n\"x\""));
    request.messages.back().name = "Ana B.";
    request.messages.push_back(said_by(chat_role::assistant, ""));
    request.messages.back().calls = {
        call_of("a", "get_time", "{}"), call_of("b", "do it", R"({"x":[1,2]})")
    };
    request.messages.back().thinking = "hm";
    request.messages.push_back(said_by(chat_role::tool, "12:00"));
    request.messages.back().call_id = "a";
    request.messages.push_back(said_by(chat_role::tool, "it did not work"));
    request.messages.back().call_id = "b";
    request.messages.back().is_error = true;
    request.messages.push_back(said_by(chat_role::assistant, "noon"));
    request.messages.push_back(said_by(chat_role::assistant, ""));
    request.messages.push_back(said_by(chat_role::user, "thanks"));
    request.tools.push_back(
        {"get_time", "Tells the time.", *json_text::parse(R"({"type":"object"})")}
    );
    EXPECT_EQ(
        openai_body_of(request, settings_for("m-1")).str(),
        R"({"model":"m-1","stream":true,"stream_options":{"include_usage":true},"max_tokens":4096,"temperature":0.5,)"
        R"("messages":[{"role":"system","content":"be brief"},)"
        "{\"role\":\"user\",\"content\":\"Ana B.: hi \u00e9\\n\\\"x\\\"\"},"
        R"({"role":"assistant","content":null,"tool_calls":[)"
        R"({"id":"a","type":"function","function":{"name":"get_time","arguments":"{}"}},)"
        R"({"id":"b","type":"function","function":{"name":"do_20it","arguments":"{\"x\":[1,2]}"}}]},)"
        R"({"role":"tool","tool_call_id":"a","content":"12:00"},)"
        R"({"role":"tool","tool_call_id":"b","content":"it did not work"},)"
        R"({"role":"assistant","content":"noon"},)"
        R"({"role":"user","content":"thanks"}],)"
        R"("tools":[{"type":"function","function":{"name":"get_time","description":"Tells the time.","parameters":{"type":"object"}}}]})"
    );
}

// Empty lists and members that were not asked for are left out: some servers refuse them.
TEST(OpenaiProvider, LeavesOutWhatIsNotSaid) {
    model_request request;
    request.model = "named";
    request.max_output_tokens = 7;
    request.messages.push_back(said_by(chat_role::user, "x"));
    openai_settings settings = settings_for("other");
    settings.limit_field = token_limit_field::max_completion_tokens;
    EXPECT_EQ(
        openai_body_of(request, settings).str(),
        R"({"model":"named","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":7,)"
        R"("messages":[{"role":"user","content":"x"}]})"
    );
}

TEST(OpenaiProvider, KnowsWhereAndAsWhom) {
    openai_settings settings = settings_for("m");
    settings.base_url = "http://127.0.0.1:11434/v1/";
    const http_call open = openai_provider{settings}.call_of({});
    EXPECT_EQ(open.url, "http://127.0.0.1:11434/v1/chat/completions");
    EXPECT_EQ(open.method, http_method::post);
    EXPECT_EQ(open.headers.find("content-type"), "application/json");
    EXPECT_EQ(open.headers.find("authorization"), std::nullopt);
    settings.key = "sk-1";
    EXPECT_EQ(openai_provider{settings}.call_of({}).headers.find("authorization"), "Bearer sk-1");
}

}  // namespace

}  // namespace convene
