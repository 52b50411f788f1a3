// SPDX-License-Identifier: Apache-2.0
// Models by the names of their providers, from the settings of a process.
#include "agent/provider/model_factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "answer_scene.hpp"
#include "runtime/manual_loop.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

namespace {

configuration configured(std::map<std::string, std::string> environment) {
    config_sources sources;
    sources.environment = std::move(environment);
    return *load_configuration(all_settings(), sources);
}

/// What the model sends when it is asked.
http_call call_of(model_settings settings) {
    http_call sent;
    streaming_model::parts with{
        [&sent](http_call call, deadline) -> awaitable<result<std::unique_ptr<http_reply_stream>>> {
            sent = std::move(call);
            return [](int) -> awaitable<result<std::unique_ptr<http_reply_stream>>> {
                co_return errc::invalid_argument;
            }(0);
        },
        &system_random()
    };
    auto model = make_model(std::move(settings), std::move(with));
    EXPECT_TRUE(model.has_value());
    manual_loop where;
    collecting_sink sink;
    const auto answer = where.run((*model)->answer({}, &sink, deadline::never()));
    EXPECT_EQ(answer.error(), errc::model_refused);
    return sent;
}

// Proves: A8
TEST(ModelFactory, MakesModelsFromSettings) {
    temporary_folder folder;
    std::ofstream{folder.path() / "key"} << "sk-file\n";
    const configuration config = configured(
        {{"OPENAI_API_KEY_FILE", (folder.path() / "key").string()},
         {"OPENAI_BASE_URL", "http://localhost:11434/v1"},
         {"OPENAI_MODEL", "llama"},
         {"ANTHROPIC_API_KEY", "sk-ant"},
         {"ANTHROPIC_MODEL", "claude"},
         {"ANTHROPIC_THINKING_TOKENS", "1024"}}
    );
    const http_call local = call_of(model_settings_of(config, "openai"));
    EXPECT_EQ(local.url, "http://localhost:11434/v1/chat/completions");
    EXPECT_EQ(local.headers.find("authorization"), "Bearer sk-file");
    EXPECT_THAT(local.body, testing::HasSubstr(R"("model":"llama")"));
    EXPECT_THAT(local.body, testing::HasSubstr(R"("max_tokens":4096)"));
    const http_call other = call_of(model_settings_of(config, "anthropic"));
    EXPECT_EQ(other.url, "https://api.anthropic.com/v1/messages");
    EXPECT_EQ(other.headers.find("x-api-key"), "sk-ant");
    EXPECT_THAT(other.body, testing::HasSubstr(R"("budget_tokens":1024)"));
    EXPECT_EQ(print_config(config).find("sk-"), std::string::npos) << "keys are never shown";
}

// OpenAI's own models get the field that they take, unless told otherwise.
TEST(ModelFactory, ChoosesTheFieldOfTheTokenLimit) {
    const auto body_with = [](std::map<std::string, std::string> environment) {
        return call_of(model_settings_of(configured(std::move(environment)), "openai")).body;
    };
    EXPECT_THAT(body_with({}), testing::HasSubstr("max_completion_tokens"));
    EXPECT_THAT(
        body_with({{"OPENAI_TOKENS_FIELD", "max_tokens"}}),
        testing::Not(testing::HasSubstr("max_completion_tokens"))
    );
    EXPECT_THAT(
        body_with({{"OPENAI_BASE_URL", "https://api.openai.com.example/v1"}}),
        testing::Not(testing::HasSubstr("max_completion_tokens"))
    );
}

TEST(ModelFactory, NamesTheHostThatMayBeConnectedTo) {
    const auto host = [](std::string url) {
        model_settings settings;
        settings.base_url = std::move(url);
        return host_of(settings);
    };
    EXPECT_EQ(host("https://api.openai.com/v1"), "api.openai.com");
    EXPECT_EQ(host("http://localhost:11434"), "localhost");
    EXPECT_EQ(host("http://[::1]:8080/v1"), "[::1]");
    EXPECT_EQ(host(""), "");
}

// The scripted model needs neither network nor settings: it plays the sample that comes with the program.
// Proves: A8
TEST(ModelFactory, MakesAScriptedModelWithoutASetting) {
    model_settings settings;
    settings.provider = "scripted";
    auto model = make_model(std::move(settings), {});
    ASSERT_TRUE(model.has_value());
    EXPECT_EQ((*model)->provider(), "scripted");
    manual_loop where;
    collecting_sink sink;
    model_request request;
    request.messages.push_back({chat_role::user, "hello there"});
    const auto answer = where.run((*model)->answer(std::move(request), &sink, deadline::never()));
    ASSERT_TRUE(answer.has_value());
    EXPECT_THAT(answer->message.text, testing::HasSubstr("hello there"));
}

TEST(ModelFactory, SaysWhyThereIsNoModel) {
    const auto problem = [](std::string provider, std::string url, std::string script) {
        model_settings settings;
        settings.provider = std::move(provider);
        settings.base_url = std::move(url);
        settings.script = std::move(script);
        const auto model = make_model(std::move(settings), {});
        return model ? "none" : model.error().message();
    };
    EXPECT_THAT(
        problem("gpt", "https://x", ""), testing::HasSubstr("use openai, anthropic or scripted")
    );
    EXPECT_THAT(problem("openai", "x", ""), testing::HasSubstr("base_url"));
    EXPECT_THAT(problem("scripted", "", "model-script 1\nsay x"), testing::HasSubstr("line 2"));
}

}  // namespace

}  // namespace convene
