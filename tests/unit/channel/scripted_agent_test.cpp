// SPDX-License-Identifier: Apache-2.0
// The scripted agent: what each step of a script makes of an answer.
#include "convene/channels/scripted_agent.hpp"

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

/// Takes segments until it is told to refuse.
class recording_sink final : public answer_sink {
   public:
    std::vector<std::string> segments;
    result<> answer;

    [[nodiscard]] awaitable<result<>> segment(content piece) override {
        if (answer) {
            segments.push_back(readable_text(piece));
        }
        co_return answer;
    }

    [[nodiscard]] awaitable<result<>> record(content, visibility) override {
        ADD_FAILURE() << "a script calls no tools";
        co_return answer;
    }
};

class ScriptedAgent : public testing::Test {
   protected:
    [[nodiscard]] static agent_request question(std::string_view text) {
        agent_request request;
        request.trigger.content = content::text(text);
        return request;
    }

    [[nodiscard]] agent_answer answer_of(const agent_script& script, std::string_view text = "hi") {
        scripted_agent agent{channel_id{"bot"}, {script}};
        return loop_.run(agent.answer(question(text), &sink_));
    }

    manual_loop loop_;
    recording_sink sink_;
};

// What is said is one whole answer, with the question filled in wherever the script wants it.
TEST_F(ScriptedAgent, AnswersAsAWhole) {
    agent_script script;
    script.say("You said {text}").say(", twice: {text}.");
    const agent_answer answer = answer_of(script, "{text}!");
    ASSERT_TRUE(answer.whole.has_value());
    EXPECT_EQ(readable_text(*answer.whole), "You said {text}!, twice: {text}!.");
    EXPECT_EQ(answer.finish_reason, "stop");
    EXPECT_TRUE(answer.outcome.error_code.empty());
    EXPECT_TRUE(sink_.segments.empty());
}

// Segments are committed one by one, with the pauses of the script; nothing is left for the end.
// Proves: D6
TEST_F(ScriptedAgent, AnswersInSegments) {
    agent_script script;
    script.segment("first ").wait(seconds{3}).segment("{text}");
    const monotonic_time begun = loop_.now();
    const agent_answer answer = answer_of(script, "second");
    EXPECT_EQ(sink_.segments, (std::vector<std::string>{"first ", "second"}));
    EXPECT_FALSE(answer.whole.has_value());
    EXPECT_EQ(loop_.now() - begun, seconds{3});
}

// Tasks, observations and the reason of the end come with the answer.
TEST_F(ScriptedAgent, LeavesTasksAndObservations) {
    agent_script script;
    script.task("call {text}").observe("mood", "{text} is happy").finish("length");
    const agent_answer answer = answer_of(script, "Ann");
    ASSERT_EQ(answer.tasks.size(), 1U);
    EXPECT_EQ(answer.tasks[0].title, "call Ann");
    ASSERT_EQ(answer.observations.size(), 1U);
    EXPECT_EQ(answer.observations[0].category, "mood");
    EXPECT_EQ(answer.observations[0].content, "Ann is happy");
    EXPECT_EQ(answer.finish_reason, "length");
}

// A scripted failure ends the answer with its code; later steps are not performed.
TEST_F(ScriptedAgent, FailsWithACode) {
    agent_script script;
    script.segment("so far").fail("model_down").segment("never");
    const agent_answer answer = answer_of(script);
    EXPECT_EQ(answer.outcome.error_code, "model_down");
    EXPECT_EQ(answer.finish_reason, "failed");
    EXPECT_EQ(sink_.segments, std::vector<std::string>{"so far"});
}

// The room refuses a segment: the answer ends with the room's reason.
// Proves: D6
TEST_F(ScriptedAgent, EndsWhenASegmentIsRefused) {
    sink_.answer = errc::room_closed;
    agent_script script;
    script.segment("one").segment("two");
    const agent_answer answer = answer_of(script);
    EXPECT_EQ(answer.outcome.error_code, "room_closed");
    EXPECT_EQ(answer.finish_reason, "failed");
}

// Cancelled in a pause: the answer says that it was interrupted.
// Proves: D6
TEST_F(ScriptedAgent, IsInterruptedByACancellation) {
    agent_script script;
    script.segment("first").hang().segment("never");
    scripted_agent agent{channel_id{"bot"}, {script}};
    const deadline soon{loop_.now() + seconds{1}};
    const agent_answer answer = loop_.run(with_deadline(soon, agent.answer(question("hi"), &sink_))
    );
    EXPECT_EQ(answer.finish_reason, "interrupted");
    EXPECT_EQ(answer.outcome.error_code, "timed_out");
    EXPECT_EQ(sink_.segments, std::vector<std::string>{"first"});
}

awaitable<bool> throws_from(scripted_agent* agent, agent_request request, answer_sink* sink) {
    try {
        const agent_answer answer = co_await agent->answer(std::move(request), sink);
        static_cast<void>(answer);
    } catch (const std::runtime_error& thrown) {
        co_return std::string{thrown.what()} == "no more tokens";
    }
    co_return false;
}

// An agent may throw, as other people's agents do.
TEST_F(ScriptedAgent, ThrowsWhereTheScriptSaysSo) {
    agent_script script;
    script.fail_with_exception("no more tokens");
    scripted_agent agent{channel_id{"bot"}, {script}};
    EXPECT_TRUE(loop_.run(throws_from(&agent, question("hi"), &sink_)));
}

/// Notes what it was called with, and answers as told.
struct called_function {
    std::vector<std::string> calls;
    result<> answer;

    [[nodiscard]] agent_callback callback() {
        return [this](agent_request request) { return note(this, std::move(request)); };
    }

    static awaitable<result<>> note(called_function* self, agent_request request) {
        self->calls.push_back(readable_text(request.trigger.content));
        co_return self->answer;
    }
};

// A function of the test is called in the middle of an answer, with the question.
TEST_F(ScriptedAgent, CallsAFunctionInItsCourse) {
    called_function called;
    agent_script script;
    script.segment("before").call(called.callback()).segment("after");
    EXPECT_TRUE(answer_of(script, "ping").outcome.error_code.empty());
    EXPECT_EQ(called.calls, std::vector<std::string>{"ping"});
    EXPECT_EQ(sink_.segments.size(), 2U);
}

// The function reports an error: the answer ends with it.
TEST_F(ScriptedAgent, EndsWithTheErrorOfAFunction) {
    called_function called;
    called.answer = errc::would_deadlock;
    agent_script script;
    script.call(called.callback()).say("never");
    const agent_answer answer = answer_of(script);
    EXPECT_EQ(answer.outcome.error_code, "would_deadlock");
    EXPECT_FALSE(answer.whole.has_value());
}

awaitable<result<>> crash(manual_loop* loop) {
    loop->abandon();
    co_return co_await sleep_until(deadline::never());
}

awaitable<void> ask(scripted_agent* agent, agent_request request, answer_sink* sink) {
    const agent_answer answer = co_await agent->answer(std::move(request), sink);
    ADD_FAILURE() << "a dead worker answered: " << answer.finish_reason;
}

// A function brings the worker down between two segments: the second one is never said.
// Proves: D6
TEST_F(ScriptedAgent, DiesInTheMiddleOfAStream) {
    agent_script script;
    script.segment("first").call([this](agent_request) { return crash(&loop_); }).segment("never");
    scripted_agent agent{channel_id{"bot"}, {script}};
    {
        task_scope worker{loop_};
        worker.spawn("agent", ask(&agent, question("hi"), &sink_));
        loop_.run_ready();
    }
    EXPECT_EQ(sink_.segments, std::vector<std::string>{"first"});
}

// Two scripts, three questions: the last script is used again, and the questions are remembered.
TEST_F(ScriptedAgent, UsesOneScriptForEachQuestion) {
    agent_script first;
    first.say("one");
    agent_script second;
    second.say("two");
    scripted_agent agent{channel_id{"bot"}, {first, second}};
    for (const char* expected : {"one", "two", "two"}) {
        const agent_answer answer = loop_.run(agent.answer(question(expected), &sink_));
        EXPECT_EQ(readable_text(*answer.whole), expected);
    }
    ASSERT_EQ(agent.requests().size(), 3U);
    EXPECT_EQ(readable_text(agent.requests()[2].trigger.content), "two");
}

}  // namespace
}  // namespace convene
