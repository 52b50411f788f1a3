// SPDX-License-Identifier: Apache-2.0
// The loop in action: rounds, parallel calls, deadlines, failures, cancellation; every call keeps its result.
#include "agent/tool_loop.hpp"

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manual_loop.hpp"
#include "support/scripted_chat_model.hpp"
#include "support/scripted_tool.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Writes down what it is told, and fails where a test wants it to.
class noting_listener final : public tool_loop_listener {
   public:
    std::vector<std::string> notes;
    std::string fails_at;  ///< the note that fails
    refusal refuses;       ///< what is intended

    [[nodiscard]] awaitable<result<>> piece(model_piece made) override {
        const auto* text = std::get_if<text_piece>(&made);
        return note(text != nullptr ? "piece " + text->text : std::string{});
    }

    [[nodiscard]] awaitable<result<>> said(model_answer answer) override {
        return note("said " + answer.message.text);
    }

    [[nodiscard]] awaitable<result<refusal>> intend(tool_call call, std::string call_key) override {
        const result<> noted = co_await note("intend " + call.id + " " + call_key);
        co_return noted ? result<refusal>{refuses} : result<refusal>{noted.error()};
    }

    [[nodiscard]] awaitable<result<>> ended(tool_call call, call_outcome outcome) override {
        const bool is_good = outcome.what == call_outcome::state::completed;
        return note("ended " + call.id + (is_good ? " " : "! ") + outcome.text);
    }

   private:
    awaitable<result<>> note(std::string what) {
        if (!what.empty()) {
            notes.push_back(what);
        }
        const result<> turned = co_await yield_turn();
        if (!turned) {
            co_return turned;
        }
        co_return what == fails_at && !what.empty() ? result<>{errc::claim_lost} : result<>{};
    }
};

class ToolLoop : public testing::Test {
   protected:
    std::shared_ptr<scripted_tool> add(std::shared_ptr<scripted_tool> made) {
        EXPECT_TRUE(request_.tools.add(made));
        return made;
    }

    std::shared_ptr<scripted_tool> add(std::string name, scripted_tool::function does) {
        return add(std::make_shared<scripted_tool>(
            std::move(name), R"({"type":"object"})", std::move(does)
        ));
    }

    loop_end run(std::vector<model_script> scripts) {
        model_ = std::make_unique<scripted_chat_model>(std::move(scripts));
        request_.question.messages.push_back({chat_role::user, "question"});
        request_.context.call_key = "row";
        loop_end end = loop_.run(run_tool_loop(model_.get(), request_, &listener_));
        check_pairs(end);
        return end;
    }

    /// Runs until a moment, cancels, and lets it end.
    loop_end run_and_cancel(std::vector<model_script> scripts, std::chrono::milliseconds after) {
        model_ = std::make_unique<scripted_chat_model>(std::move(scripts));
        request_.context.call_key = "row";
        std::optional<loop_end> end;
        {
            task_scope scope{loop_};
            scope.spawn("loop", store(run_tool_loop(model_.get(), request_, &listener_), &end));
            loop_.advance(after);
            scope.request_stop();
            loop_.run_ready();
            EXPECT_TRUE(end.has_value()) << "the loop outlives its cancellation";
            loop_.run(scope.join());
        }
        check_pairs(*end);
        return *std::move(end);
    }

    static awaitable<void> store(awaitable<loop_end> work, std::optional<loop_end>* into) {
        into->emplace(co_await std::move(work));
    }

    static void check_pairs(const loop_end& end) {
        std::vector<std::string> open;
        for (const chat_message& message : end.messages) {
            for (const tool_call& call : message.calls) {
                open.push_back(call.id);
            }
            if (message.role == chat_role::tool) {
                EXPECT_EQ(std::erase(open, message.call_id), 1U) << message.call_id;
            }
        }
        for (const tool_call& call : end.open_calls) {
            EXPECT_EQ(std::erase(open, call.id), 1U);
        }
        EXPECT_THAT(open, IsEmpty());
    }

    [[nodiscard]] static std::vector<std::string> results(const loop_end& end) {
        std::vector<std::string> texts;
        for (const chat_message& message : end.messages) {
            if (message.role == chat_role::tool) {
                texts.push_back((message.is_error ? "!" : "") + message.text);
            }
        }
        return texts;
    }

    manual_loop loop_;
    noting_listener listener_;
    tool_loop_request request_;
    std::unique_ptr<scripted_chat_model> model_;
};

const std::string
    unknown = "!The outcome of this call is unknown: it was cut off. It may have had an effect.";

// A call is intended, made and ended in this order, and the model is asked again with its result.
// Proves: A8, A9
TEST_F(ToolLoop, AsksAgainWithTheResults) {
    const auto search = add(scripted_tool::saying("search", "found"));
    const loop_end end = run(
        {model_script{}.say("Let me ").say("look.").call("1", "search", R"({"q":"x"})"),
         model_script{}.say("Here.")}
    );
    EXPECT_EQ(end.finish, loop_finish::stop);
    EXPECT_EQ(end.rounds, 2);
    EXPECT_EQ(end.usage.input, 20);
    EXPECT_THAT(search->got, ElementsAre(R"({"q":"x"})"));
    EXPECT_THAT(search->keys, ElementsAre("row:0"));
    EXPECT_THAT(
        listener_.notes,
        ElementsAre(
            "piece Let me ",
            "piece look.",
            "said Let me look.",
            "intend 1 row:0",
            "ended 1 found",
            "piece Here.",
            "said Here."
        )
    );
    ASSERT_THAT(model_->requests, SizeIs(2));
    const std::vector<chat_message>& again = model_->requests[1].messages;
    ASSERT_THAT(again, SizeIs(3));
    EXPECT_EQ(again[1].calls.front().id, "1");
    EXPECT_EQ(again[2].call_id, "1");
    EXPECT_EQ(again[2].text, "found");
    EXPECT_THAT(model_->requests[1].tools, SizeIs(1));
}

// Calls of one round run at the same time, all of them on record before the first; each ends under its own deadline,
// and what was cut off is unknown.
// Proves: A9
TEST_F(ToolLoop, RunsCallsOfARoundTogether) {
    add(scripted_tool::slow("slow", 300ms));
    add(scripted_tool::slow("slower", 400ms));
    add(scripted_tool::slow("hung", 1h))->limit = 500ms;
    const monotonic_time begun = loop_.now();
    const loop_end end = run(
        {model_script{}.call("1", "slower").call("2", "slow").call("3", "hung"),
         model_script{}.say("done")}
    );
    EXPECT_EQ(loop_.now() - begun, 500ms);
    EXPECT_EQ(end.finish, loop_finish::stop);
    EXPECT_THAT(
        results(end), ElementsAre("late", "late", "!No answer within 500 ms. " + unknown.substr(1))
    );
    EXPECT_THAT(
        listener_.notes,
        ElementsAre(
            "said ",
            "intend 1 row:0",
            "intend 2 row:1",
            "intend 3 row:2",
            "ended 2 late",
            "ended 1 late",
            "ended 3! No answer within 500 ms. " + unknown.substr(1),
            "piece done",
            "said done"
        )
    );
}

awaitable<result<tool_output>> throws_later() {
    const result<> turned = co_await yield_turn();
    static_cast<void>(turned);
    throw std::runtime_error("secret of the host");
}

awaitable<result<tool_output>> fails_with(errc code) { co_return code; }

awaitable<result<tool_output>> answers_badly() { co_return tool_output{"no such city", true}; }

// A tool that throws, fails, is not there or gets the wrong arguments fails alone: the model is told, and not what an
// exception says.
// Proves: A9
TEST_F(ToolLoop, TellsTheModelWhatFailed) {
    add("throws", [](json_text) { return throws_later(); });
    add("fails", [](json_text) { return fails_with(errc::not_found); });
    add("unknown", [](json_text) { return fails_with(errc::outcome_unknown); });
    add("bad", [](json_text) { return answers_badly(); });
    add(std::make_shared<scripted_tool>("strict", R"({"required":["q"]})", nullptr));
    add(scripted_tool::saying("good", "fine"));
    const loop_end end = run(
        {model_script{}
             .call("1", "throws")
             .call("2", "fails")
             .call("3", "unknown")
             .call("4", "bad")
             .call("5", "strict")
             .call("6", "missing")
             .call("7", "good"),
         model_script{}.say("sorry")}
    );
    EXPECT_EQ(end.finish, loop_finish::stop);
    const std::vector<std::string> told = results(end);
    ASSERT_THAT(told, SizeIs(7));
    EXPECT_EQ(told[0], "!The tool failed.");
    EXPECT_EQ(told[1], "!The tool failed: not_found");
    EXPECT_EQ(told[2], unknown);
    EXPECT_EQ(told[3], "!no such city");
    EXPECT_THAT(told[4], testing::StartsWith("!The arguments do not fit"));
    EXPECT_EQ(told[5], "!There is no tool of this name.");
    EXPECT_EQ(told[6], "fine");
}

// What a tool says passes the text boundary and is cut.
// Proves: A9, R16
TEST_F(ToolLoop, CleansAndCutsOutput) {
    add(scripted_tool::saying("odd", std::string{"a\xff\0b", 4}));
    add(scripted_tool::saying("large", std::string(100, 'x')));
    request_.limits.tool_result_bytes = 10;
    const loop_end end = run(
        {model_script{}.call("1", "odd").call("2", "large"), model_script{}.say("done")}
    );
    EXPECT_THAT(
        results(end),
        ElementsAre(
            "a\uFFFD\uFFFD"
            "b",
            std::string(10, 'x') + "\n[90 bytes left out]"
        )
    );
}

// The tool of docs/agents.md, as it stands there.
class clock_tool final : public convene::tool {
   public:
    const convene::tool_definition& definition() const noexcept override { return definition_; }

    convene::awaitable<convene::result<convene::tool_output>> call(
        convene::json_text /*arguments*/, convene::tool_context /*context*/
    ) override {
        co_return convene::tool_output{convene::format_rfc3339(convene::system_wall_clock().now())};
    }

   private:
    const convene::tool_definition definition_{
        "clock", "Tells the time.", convene::json_text::trusted(R"({"type":"object"})")
    };
};

// A tool that is written by the page that tells how is called.
// Proves: A9
TEST_F(ToolLoop, CallsTheDocumentedTool) {
    ASSERT_TRUE(request_.tools.add(std::make_shared<clock_tool>()));
    const loop_end end = run({model_script{}.call("1", "clock"), model_script{}.say("It is late.")}
    );
    EXPECT_THAT(results(end), ElementsAre(testing::EndsWith("Z")));
}

// A model that never stops calling is stopped.
// Proves: A9
TEST_F(ToolLoop, StopsAfterItsRounds) {
    const auto search = add(scripted_tool::saying("search", "found"));
    request_.limits.rounds = 3;
    const loop_end end = run({model_script{}.call("1", "search")});
    EXPECT_EQ(end.finish, loop_finish::tool_limit);
    EXPECT_EQ(end.rounds, 3);
    EXPECT_THAT(search->got, SizeIs(2));
}

// All that a model makes is bounded, thoughts and arguments too; what came is kept.
// Proves: A9
TEST_F(ToolLoop, BoundsAllOutput) {
    request_.limits.output_bytes = 10;
    const loop_end end = run({model_script{}.think("12345").say("123").say("456").say("never")});
    EXPECT_EQ(end.finish, loop_finish::length);
    EXPECT_FALSE(end.error);
    ASSERT_THAT(end.messages, SizeIs(1));
    EXPECT_EQ(end.messages.front().text, "123");
}

// Whoever has to allow a call may refuse it: it is not made, the model is told why, and the loop goes on.
// Proves: A6, A9
TEST_F(ToolLoop, LeavesOutWhatIsNotAllowed) {
    const auto search = add(scripted_tool::saying("search", "found"));
    listener_.refuses = "Not now.";
    const loop_end end = run({model_script{}.call("1", "search"), model_script{}.say("All right.")}
    );
    EXPECT_EQ(end.finish, loop_finish::stop);
    EXPECT_THAT(search->got, IsEmpty());
    EXPECT_THAT(results(end), ElementsAre("!Not now."));
}

// A client's tools end the loop with their calls open; ours of the same round are called.
// Proves: A5, A9
TEST_F(ToolLoop, EndsWithOpenCallsOfClients) {
    const auto search = add(scripted_tool::saying("search", "found"));
    request_.client_tools.push_back({"confirm", "asks a person", {}});
    const loop_end end = run({model_script{}.call("1", "confirm").call("2", "search")});
    EXPECT_EQ(end.finish, loop_finish::client_calls);
    ASSERT_THAT(end.open_calls, SizeIs(1));
    EXPECT_EQ(end.open_calls.front().id, "1");
    EXPECT_THAT(search->got, SizeIs(1));
    EXPECT_THAT(model_->requests, SizeIs(1));
    EXPECT_THAT(model_->requests[0].tools, SizeIs(2));
}

// A model's failure ends the loop with its word; the text that came is kept, its half calls are not.
// Proves: A8
TEST_F(ToolLoop, EndsWithTheModelsFailure) {
    add(scripted_tool::saying("search", "found"));
    const loop_end end = run(
        {model_script{}.say("Well").call("1", "search"),
         model_script{}.say("I th").call("2", "search").fail(errc::answer_cut_off)}
    );
    EXPECT_EQ(end.finish, loop_finish::failed);
    EXPECT_EQ(end.error, errc::answer_cut_off);
    ASSERT_THAT(end.messages, SizeIs(3));
    EXPECT_EQ(end.messages.back().text, "I th");
    EXPECT_THAT(end.messages.back().calls, IsEmpty());
}

// The loop's deadline ends the model and the calls alike.
// Proves: A9
TEST_F(ToolLoop, EndsAtItsDeadline) {
    add(scripted_tool::slow("slow", 30s));
    request_.until = deadline{loop_.now() + 1s};
    loop_end end = run({model_script{}.call("1", "slow")});
    EXPECT_EQ(end.error, errc::timed_out);
    EXPECT_THAT(results(end), ElementsAre(testing::HasSubstr("unknown")));
    end = run({model_script{}.hang()});
    EXPECT_EQ(end.error, errc::timed_out);
}

// Whoever listens can stop the loop: at an intent before anything is called, at an end with the rest joined.
// Proves: A9
TEST_F(ToolLoop, StopsWhenItsListenerFails) {
    const auto search = add(scripted_tool::saying("search", "found"));
    const auto slow = add(scripted_tool::slow("slow", 1h));
    const model_script script = model_script{}.call("1", "search").call("2", "slow");
    listener_.fails_at = "intend 2 row:1";
    loop_end end = run({script});
    EXPECT_EQ(end.error, errc::claim_lost);
    EXPECT_THAT(search->got, IsEmpty());
    EXPECT_THAT(slow->got, IsEmpty());
    EXPECT_THAT(results(end), testing::Each("!Not called: the answer ended before."));

    listener_.fails_at = "ended 1 found";
    end = run({script});
    EXPECT_EQ(end.error, errc::claim_lost);
    EXPECT_THAT(results(end), ElementsAre("found", unknown));

    listener_.fails_at = "said ";
    end = run({script});
    EXPECT_EQ(end.error, errc::claim_lost);
    EXPECT_THAT(search->got, SizeIs(1));
}

// Cancelled wherever it waits, the loop ends with nothing running and every call paired.
// Proves: A9
TEST_F(ToolLoop, JoinsItsCallsWhenCancelled) {
    add(scripted_tool::slow("slow", 200ms));
    add(scripted_tool::slow("slower", 1h));
    const std::vector<model_script> scripts{
        model_script{}.wait(100ms).call("1", "slow").call("2", "slower")
    };
    loop_end end = run_and_cancel(scripts, 50ms);
    EXPECT_EQ(end.error, errc::cancelled);
    EXPECT_THAT(end.messages, IsEmpty());
    end = run_and_cancel(scripts, 150ms);
    EXPECT_EQ(end.error, errc::cancelled);
    EXPECT_THAT(results(end), ElementsAre(unknown, unknown));
    end = run_and_cancel(scripts, 350ms);
    EXPECT_EQ(end.error, errc::cancelled);
    EXPECT_THAT(results(end), ElementsAre("late", unknown));
}

}  // namespace
}  // namespace convene
