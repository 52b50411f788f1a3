// SPDX-License-Identifier: Apache-2.0
// What remote hooks are asked, and which answers are verdicts.
#include "hook/hook_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/documentation.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

/// The field that makes an answer none; empty for a verdict.
std::string fault_of(const std::string& answer) {
    const auto verdict = parse_verdict(answer);
    return verdict ? std::string{} : verdict.error().field;
}

remote_hook_call some_call() {
    remote_hook hook;
    hook.id = hook_id{"h"};
    hook.mode = hook_mode::remote;
    remote_hook_call asked;
    asked.hook = std::make_shared<const remote_hook>(hook);
    asked.attempt = 1;
    asked.input.context.room.id = room_id{"r"};
    room_event& event = asked.input.event;
    event.id = event_id{"e"};
    event.room = room_id{"r"};
    event.index = event_index{7};
    event.content = content::text("hello");
    event.source.channel = channel_id{"web"};
    event.source.channel_type = "websocket";
    event.source.participant = participant_id{"ann"};
    return asked;
}

// A question is what the page of the format shows.
// Proves: R9
TEST(HookBody, IsWhatThePageShows) {
    const json_text body = hook_body_of(some_call(), wall_time{seconds{1'767'225'600}});
    EXPECT_THAT(documentation_page("formats/hooks.md"), HasSubstr(body.str()));
}

// Every answer that the page shows is a verdict.
// Proves: R9
TEST(HookVerdictBody, ReadsWhatThePageShows) {
    int read = 0;
    for (const std::string& example : json_examples("formats/hooks.md")) {
        if (example.starts_with(R"({"action")")) {
            EXPECT_EQ(fault_of(example), "") << example;
            ++read;
        }
    }
    EXPECT_EQ(read, 3);
}

// A verdict says all that a hook of this process can say.
// Proves: R9
TEST(HookVerdictBody, SaysAllThatALocalHookCan) {
    const auto verdict = parse_verdict(
        R"({"action":"modify","content":{"type":"text","body":"clean"},"metadata":{"k":1},)"
        R"("injected":[{"content":{"type":"text","body":"hi"},"targets":["web"],)"
        R"("visibility":"transport"}],"tasks":[{"title":"call back"}],)"
        R"("observations":[{"content":"angry","category":"mood","confidence":0.5}]})"
    );
    ASSERT_TRUE(verdict.has_value()) << verdict.error().field;
    EXPECT_EQ(verdict->what, hook_verdict::action::modify);
    EXPECT_EQ(readable_text(*verdict->new_content), "clean");
    EXPECT_EQ(verdict->new_metadata->str(), R"({"k":1})");
    ASSERT_EQ(verdict->injected.size(), 1u);
    EXPECT_EQ(verdict->injected[0].type, event_type::message);
    EXPECT_EQ(verdict->injected[0].targets, std::vector{channel_id{"web"}});
    EXPECT_EQ(verdict->injected[0].visibility.text(), "transport");
    ASSERT_EQ(verdict->tasks.size(), 1u);
    EXPECT_EQ(verdict->tasks[0].title, "call back");
    ASSERT_EQ(verdict->observations.size(), 1u);
    EXPECT_EQ(verdict->observations[0].confidence, 0.5);

    const auto block = parse_verdict(R"({"action":"block","reason":"spam"})");
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(block->what, hook_verdict::action::block);
    EXPECT_EQ(block->reason, "spam");
}

// What is no verdict is told from one, by its field: nothing of it is guessed.
// Proves: R9, R16
TEST(HookVerdictBody, RefusesWhatIsNone) {
    EXPECT_EQ(fault_of(""), "verdict");
    EXPECT_EQ(fault_of("ok"), "verdict");
    EXPECT_EQ(fault_of("[]"), "verdict");
    EXPECT_NE(fault_of("{}"), "");
    EXPECT_EQ(fault_of(R"({"action":"deny"})"), "action");
    EXPECT_NE(fault_of(R"({"action":"allow","contents":{}})"), "");
    EXPECT_NE(fault_of(R"({"action":"modify","content":{"type":"text"}})"), "");
    EXPECT_EQ(fault_of(R"({"action":"modify","metadata":[]})"), "metadata");
    EXPECT_EQ(fault_of(R"({"action":"allow","injected":{}})"), "injected");
    EXPECT_EQ(fault_of(R"({"action":"allow","injected":[{}]})"), "injected[0].content");
    EXPECT_EQ(
        fault_of(
            R"({"action":"allow","injected":[{"content":{"type":"text","body":"x"},"type":"?"}]})"
        ),
        "injected[0].type"
    );
    EXPECT_NE(fault_of(R"({"action":"allow","tasks":[{"name":"x"}]})"), "");
    EXPECT_EQ(
        fault_of(R"({"action":"allow","observations":[{"content":"x","confidence":2}]})"),
        "observations[0].confidence"
    );
    EXPECT_NE(fault_of("{\"action\":\"block\",\"reason\":\"\xff\"}"), "");
    EXPECT_EQ(fault_of(std::string(max_verdict_bytes + 1, ' ')), "verdict");
}

}  // namespace

}  // namespace convene
