// SPDX-License-Identifier: Apache-2.0
// A model that plays a script, in conversations as agents have them.
#include "agent/provider/scripted_model.hpp"

#include "convene/task_scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer_scene.hpp"
#include "runtime/manual_loop.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ScriptedModel : public testing::Test {
   protected:
    /// The answer to the conversation so far, which becomes a part of it.
    result<model_answer> next(std::string_view script, deadline until = deadline::never()) {
        const auto parsed = model_script::parse("model-script 1\n" + std::string{script});
        EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message());
        scripted_model model{*parsed};
        sink_.seen.clear();
        model_request request;
        request.messages = messages_;
        result<model_answer> answer = where_.run(model.answer(std::move(request), &sink_, until));
        if (answer) {
            messages_.push_back(answer->message);
        }
        return answer;
    }

    void user(std::string text, std::string name = {}) {
        chat_message said;
        said.text = std::move(text);
        said.name = std::move(name);
        messages_.push_back(std::move(said));
    }

    enum class outcome { worked, failed };

    void result_of(std::string call, std::string text, outcome how = outcome::worked) {
        chat_message said;
        said.role = chat_role::tool;
        said.call_id = std::move(call);
        said.text = std::move(text);
        said.is_error = how == outcome::failed;
        messages_.push_back(std::move(said));
    }

    manual_loop where_;
    collecting_sink sink_;
    std::vector<chat_message> messages_;
};

constexpr std::string_view with_tools = R"(
when says "weather"
    think They want
    think the weather.
    say One moment.
    call get_weather {"city": "$user", "n": 1}
    call log {}
    if worked say It is $result.sky in $result.place.name; $result2.
    if failed call retry {"why": "$result"}
    if failed say I asked again: $result
    if worked say That was good.
otherwise
    say $turn $name: $$ "$user" $result
)";

// Thoughts and words come in words; calls that stand together are one answer, and what is behind waits for results.
// Proves: A8
TEST_F(ScriptedModel, PlaysABlockAcrossAnswers) {
    user("The WEATHER in \"Rome\"?");
    const auto called = next(with_tools);
    ASSERT_TRUE(called.has_value());
    EXPECT_THAT(
        sink_.seen,
        ElementsAre(
            "think They ",
            "think want",
            "think \nthe ",
            "think weather.",
            "say One ",
            "say moment.",
            "call call_1_1 get_weather",
            "with call_1_1 {\"city\":\"The WEA",
            "with call_1_1 THER in \\\"Rome\\\"",
            "with call_1_1 ?\",\"n\":1}",
            "call call_1_2 log",
            "with call_1_2 {}",
            "end call_1_1",
            "end call_1_2"
        )
    );
    EXPECT_EQ(called->finish, finish_reason::tool_calls);
    ASSERT_EQ(called->message.calls.size(), 2U);
    EXPECT_EQ(
        called->message.calls[0].arguments.str(), R"({"city":"The WEATHER in \"Rome\"?","n":1})"
    );
    result_of("call_1_1", R"({"sky":"blue","place":{"name":"Rome \u00e9"}})");
    result_of("call_1_2", "noted");
    const auto told = next(with_tools);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->message.text, "It is blue in Rome \u00e9; noted.\nThat was good.");
    EXPECT_EQ(told->finish, finish_reason::stop);
    const auto over = next(with_tools);
    EXPECT_TRUE(over.has_value());
}

// A guarded call is an answer of its own, and its result decides what is behind it.
TEST_F(ScriptedModel, LooksAtResults) {
    user("weather");
    ASSERT_TRUE(next(with_tools).has_value());
    result_of("call_1_1", "no such city", outcome::failed);
    result_of("call_1_2", "noted");
    const auto again = next(with_tools);
    ASSERT_TRUE(again && again->message.calls.size() == 1);
    EXPECT_EQ(again->message.calls[0].arguments.str(), R"({"why":"no such city"})");
    result_of(again->message.calls[0].id, "still not", outcome::failed);
    const auto told = next(with_tools);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->message.text, "I asked again: still not");
}

// The next message of a user begins a block anew.
TEST_F(ScriptedModel, ChoosesByTheLastMessageOfAUser) {
    user("weather");
    ASSERT_TRUE(next(with_tools).has_value());
    result_of("call_1_1", "{}");
    result_of("call_1_2", "x");
    user("hello", "Ana");
    const auto told = next(with_tools);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->message.text, "2 Ana: $ \"hello\" ");
    messages_.clear();
    const auto nobody = next(with_tools);
    ASSERT_TRUE(nobody.has_value());
    EXPECT_EQ(nobody->message.text, "0 : $ \"\" ");
}

TEST_F(ScriptedModel, CountsTurns) {
    constexpr std::string_view script =
        "when turn 2 and says \"x\"\nsay second\nwhen turn 1\nsay first\notherwise\nsay other";
    user("x");
    EXPECT_EQ(next(script)->message.text, "first");
    user("X");
    EXPECT_EQ(next(script)->message.text, "second");
    user("x");
    EXPECT_EQ(next(script)->message.text, "other");
}

// The same conversation, the same answer.
TEST_F(ScriptedModel, IsDeterministic) {
    user("weather");
    const std::vector<chat_message> before = messages_;
    ASSERT_TRUE(next(with_tools).has_value());
    const std::vector<std::string> first = sink_.seen;
    messages_ = before;
    ASSERT_TRUE(next(with_tools).has_value());
    EXPECT_EQ(sink_.seen, first);
}

// What a user says is no part of the script: variables and quotes in it are only text.
TEST_F(ScriptedModel, TakesNothingFromUsersAsScript) {
    user(R"($result "}, {"x": 1)");
    const auto called = next("otherwise\ncall f {\"a\": \"$user\"}");
    ASSERT_TRUE(called && called->message.calls.size() == 1);
    EXPECT_EQ(called->message.calls[0].arguments.str(), R"({"a":"$result \"}, {\"x\": 1"})");
}

TEST_F(ScriptedModel, WaitsFailsAndEnds) {
    user("x");
    const monotonic_time began = where_.now();
    const auto cut = next("pace 100ms\notherwise\nsay a b\nwait 2s\nsay c\nend length\nsay never");
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->message.text, "a b\nc");
    EXPECT_EQ(cut->finish, finish_reason::length);
    EXPECT_EQ(where_.now() - began, 2'300ms);
    user("y");
    const auto failed = next("otherwise\nsay a\nfail cut-off\nsay b");
    EXPECT_EQ(failed.error(), errc::answer_cut_off);
    EXPECT_THAT(sink_.seen, ElementsAre("say a"));
    user("z");
    const auto late = next("otherwise\nwait 60s\nsay b", deadline{where_.now() + 1s});
    EXPECT_EQ(late.error(), errc::timed_out);
    EXPECT_TRUE(sink_.seen.empty());
}

TEST_F(ScriptedModel, AsksByAClientTool) {
    user("x");
    const auto asked = next("otherwise\nask Shall I, \"$user\"?\nif worked say $result");
    ASSERT_TRUE(asked && asked->message.calls.size() == 1);
    EXPECT_EQ(asked->message.calls[0].name, "ask_user");
    EXPECT_EQ(asked->message.calls[0].arguments.str(), R"({"question":"Shall I, \"x\"?"})");
}

TEST_F(ScriptedModel, StopsWhenItIsCancelledOrRefused) {
    const auto parsed = model_script::parse("model-script 1\notherwise\nwait 60s\nsay x");
    ASSERT_TRUE(parsed.has_value());
    scripted_model model{*parsed};
    error_code ended;
    task_scope asking{where_};
    auto test = [](scripted_model* asked, model_sink* to, error_code* into) -> awaitable<void> {
        model_request request;
        const auto answer = co_await asked->answer(std::move(request), to, deadline::never());
        *into = answer ? error_code{} : answer.error();
    };
    asking.spawn("ask", test(&model, &sink_, &ended));
    where_.advance(1s);
    asking.request_stop();
    where_.run(asking.join());
    EXPECT_EQ(ended, errc::cancelled);
    user("x");
    sink_.refuses = errc::driver_fenced;
    EXPECT_EQ(next("otherwise\nsay x").error(), errc::driver_fenced);
}

}  // namespace

}  // namespace convene
