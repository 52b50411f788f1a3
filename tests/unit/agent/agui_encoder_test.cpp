// SPDX-License-Identifier: Apache-2.0
// AG-UI encoder: whatever it is told, in whatever order, and wherever a worker dies, the stream is well formed.
#include "agent/agui/agui_encoder.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "agent/agui/agui_decoder.hpp"

namespace convene {
namespace {

namespace json = boost::json;

/// What a reader of AG-UI holds against a stream.
class stream_checker {
   public:
    void take(const std::vector<std::string>& frames) {
        for (const std::string& frame : frames) {
            take(json::parse(frame).as_object());
        }
    }

    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

    [[nodiscard]] bool has_ended() const { return ended_ == 1; }

   private:
    static std::string text(const json::object& frame, std::string_view name) {
        return std::string{frame.at(name).as_string()};
    }

    void expect(bool holds, const std::string& what) {
        if (!holds) {
            faults_.push_back(what);
        }
    }

    void take(const json::object& frame) {
        const std::string type = text(frame, "type");
        expect(ended_ == 0, "something after the end");
        expect(is_started_ || type == "RUN_STARTED", "not started");
        if (type == "RUN_STARTED") {
            expect(!is_started_, "started twice");
            is_started_ = true;
        } else if (type == "RUN_FINISHED" || type == "RUN_ERROR") {
            expect(text_.empty() && thinking_.empty() && open_calls_.empty(), "open at the end");
            ++ended_;
        } else if (type == "TEXT_MESSAGE_START") {
            expect(text_.empty() && thinking_.empty(), "a group inside another");
            text_ = text(frame, "messageId");
        } else if (type == "TEXT_MESSAGE_CONTENT") {
            expect(text(frame, "messageId") == text_, "text outside of its message");
            expect(!text(frame, "delta").empty(), "empty text");
        } else if (type == "TEXT_MESSAGE_END") {
            expect(text(frame, "messageId") == text_, "the end of another message");
            text_.clear();
        } else if (type == "REASONING_START") {
            expect(text_.empty() && thinking_.empty(), "a group inside another");
            thinking_ = text(frame, "messageId");
        } else if (type == "REASONING_MESSAGE_CONTENT") {
            expect(text(frame, "messageId") == thinking_, "a thought outside of its message");
        } else if (type == "REASONING_END") {
            thinking_.clear();
        } else if (type == "TOOL_CALL_START") {
            expect(text_.empty() && thinking_.empty(), "a call inside a group");
            expect(calls_.insert(text(frame, "toolCallId")).second, "a call twice");
            open_calls_.insert(text(frame, "toolCallId"));
        } else if (type == "TOOL_CALL_ARGS") {
            expect(open_calls_.contains(text(frame, "toolCallId")), "arguments of no open call");
        } else if (type == "TOOL_CALL_END") {
            expect(open_calls_.erase(text(frame, "toolCallId")) == 1, "the end of no open call");
        } else if (type == "TOOL_CALL_RESULT") {
            const std::string call = text(frame, "toolCallId");
            expect(calls_.contains(call) && !open_calls_.contains(call), "a result too early");
            expect(results_.insert(call).second, "two results of a call");
        }
    }

    bool is_started_ = false;
    int ended_ = 0;
    std::string text_;
    std::string thinking_;
    std::set<std::string> calls_;
    std::set<std::string> open_calls_;
    std::set<std::string> results_;
    std::vector<std::string> faults_;
};

/// Something that may happen, sensible or not; calls have fresh ids, as models give them.
run_event random_event(std::mt19937& random, int* made_calls) {
    const auto pick = [&random](int from) {
        return std::uniform_int_distribution{0, from - 1}(random);
    };
    const std::string message = "m" + std::to_string(pick(3));
    const std::string call = "c" + std::to_string(pick(*made_calls + 1));
    switch (pick(10)) {
        case 0:
            return run_events::text{message, pick(4) == 0 ? "" : "a"};
        case 1:
            return run_events::text_end{message};
        case 2:
            return run_events::thinking{"t" + message, "b"};
        case 3:
            ++*made_calls;
            return run_events::call_start{"c" + std::to_string(*made_calls), "look", message};
        case 4:
            return run_events::call_arguments{call, "{}"};
        case 5:
            return run_events::call_end{call};
        case 6:
            return run_events::call_result{call, "r" + call, "found"};
        case 7:
            return run_events::state_delta{json_text::trusted("[]")};
        case 8:
            return run_events::thinking_end{"t" + message};
        default:
            return run_events::custom{"note", json_text{}};
    }
}

// A short conversation is said in the words of the protocol, in order.
// Proves: A5
TEST(AguiEncoder, SpellsARun) {
    agui_encoder encoder;
    std::vector<std::string> all;
    const auto say = [&](const run_event& event) {
        for (std::string& frame : encoder.encode(event)) {
            all.push_back(std::move(frame));
        }
    };
    say(run_events::started{"room-1", "run-1"});
    say(run_events::thinking{"m1:thinking", "Hm."});
    say(run_events::text{"m1", "Let me look."});
    say(run_events::call_start{"c1", "look", "m1"});
    say(run_events::call_arguments{"c1", R"({"at":1})"});
    say(run_events::call_end{"c1"});
    say(run_events::call_result{"c1", "e2", "nothing"});
    say(run_events::text{"m2", "Nothing."});
    run_events::finished end;
    end.usage = {10, 4};
    say(end);

    EXPECT_EQ(
        all,
        (std::vector<std::string>{
            R"({"type":"RUN_STARTED","threadId":"room-1","runId":"run-1","protocolVersion":"1.0"})",
            R"({"type":"REASONING_START","messageId":"m1:thinking"})",
            R"({"type":"REASONING_MESSAGE_START","messageId":"m1:thinking","role":"reasoning"})",
            R"({"type":"REASONING_MESSAGE_CONTENT","messageId":"m1:thinking","delta":"Hm."})",
            R"({"type":"REASONING_MESSAGE_END","messageId":"m1:thinking"})",
            R"({"type":"REASONING_END","messageId":"m1:thinking"})",
            R"({"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"})",
            R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Let me look."})",
            R"({"type":"TEXT_MESSAGE_END","messageId":"m1"})",
            R"({"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look","parentMessageId":"m1"})",
            R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"at\":1}"})",
            R"({"type":"TOOL_CALL_END","toolCallId":"c1"})",
            R"({"type":"TOOL_CALL_RESULT","messageId":"e2","toolCallId":"c1","content":"nothing","role":"tool"})",
            R"({"type":"TEXT_MESSAGE_START","messageId":"m2","role":"assistant"})",
            R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"Nothing."})",
            R"({"type":"TEXT_MESSAGE_END","messageId":"m2"})",
            R"({"type":"RUN_FINISHED","threadId":"room-1","runId":"run-1","outcome":{"type":"success"},)"
            R"("usage":[{"inputTokens":10,"outputTokens":4,"totalTokens":14}]})",
        })
    );
}

// Each of the three outcomes of a run has its fields, and no others.
// Proves: A5
TEST(AguiEncoder, TellsHowARunEnded) {
    const auto last_of = [](const run_event& end) {
        agui_encoder encoder;
        (void)encoder.encode(run_events::started{"room-1", "run-1"});
        return encoder.encode(end).back();
    };
    run_events::finished waits;
    waits.pending_calls = {"c1", "c2"};
    EXPECT_EQ(
        json::parse(last_of(waits)).at("outcome"),
        json::parse(R"({"type":"success","pendingToolCallIds":["c1","c2"]})")
    );
    run_events::finished asks;
    asks.how = run_events::finished::outcome::interrupted;
    asks.interrupts.push_back(
        {"i1", "approval", "May I?", "c1", json_text{}, "2026-01-01T00:00:00Z", json_text{}}
    );
    EXPECT_EQ(
        json::parse(last_of(asks)).at("outcome"),
        json::parse(R"({"type":"interrupt","interrupts":[{"id":"i1","reason":"approval",
            "message":"May I?","toolCallId":"c1","responseSchema":{},
            "expiresAt":"2026-01-01T00:00:00Z","metadata":{}}]})")
    );
    run_events::finished stopped;
    stopped.how = run_events::finished::outcome::cancelled;
    EXPECT_EQ(json::parse(last_of(stopped)).at("outcome"), json::parse(R"({"type":"cancelled"})"));
    EXPECT_EQ(
        last_of(run_events::failed{"The model can't be reached.", "MODEL_UNAVAILABLE"}),
        R"({"type":"RUN_ERROR","message":"The model can't be reached.","code":"MODEL_UNAVAILABLE"})"
    );
}

// Things that happen in any order make a stream that a reader accepts, with one end and nothing behind it.
// Proves: A5, A7
TEST(AguiEncoder, IsWellFormedWhateverHappens) {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        std::mt19937 random{seed};
        agui_encoder encoder;
        stream_checker reader;
        int calls = 0;
        reader.take(encoder.encode(run_events::started{"room-1", "run-1"}));
        const auto steps = random() % 40;
        for (std::size_t step = 0; step < steps; ++step) {
            reader.take(encoder.encode(random_event(random, &calls)));
        }
        if (seed % 2 == 0) {
            reader.take(encoder.encode(run_events::finished{}));
        } else {
            reader.take(encoder.encode(run_events::failed{"it failed", "FAILED"}));
        }
        reader.take(encoder.encode(random_event(random, &calls)));
        reader.take(encoder.encode(run_events::finished{}));
        ASSERT_EQ(reader.faults(), std::vector<std::string>{}) << "seed " << seed;
        ASSERT_TRUE(reader.has_ended()) << "seed " << seed;
    }
}

// A worker dies between any two events. The next one reads what is stored and goes on: what its reader sees as one stream
// is well formed.
// Proves: A7, N3
TEST(AguiEncoder, GoesOnBehindAnotherWorker) {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random{seed};
        agui_encoder first;
        std::vector<std::string> stored = first.encode(run_events::started{"room-1", "run-1"});
        int calls = 0;
        // What belongs to one event is stored together.
        const auto steps = random() % 20;
        for (std::size_t step = 0; step < steps; ++step) {
            for (std::string& frame : first.encode(random_event(random, &calls))) {
                stored.push_back(std::move(frame));
            }
        }

        agui_encoder second;
        stream_checker reader;
        reader.take(stored);
        for (const std::string& frame : stored) {
            const auto event = decode_agui(frame);
            ASSERT_TRUE(event) << frame;
            if (*event) {
                second.take_stored(**event);
            }
        }
        reader.take(second.close_groups());
        for (const std::string& call : second.calls_without_result()) {
            reader.take(second.encode(run_events::call_result{call, "e" + call, "unknown"}));
        }
        EXPECT_TRUE(second.calls_without_result().empty());
        reader.take(second.encode(run_events::started{"room-1", "run-1"}));
        reader.take(second.encode(run_events::text{"m9", "Again."}));
        reader.take(second.encode(run_events::finished{}));
        ASSERT_EQ(reader.faults(), std::vector<std::string>{}) << "seed " << seed;
        ASSERT_TRUE(reader.has_ended()) << "seed " << seed;
    }
}

// What is stored and is no frame is an error, not a stream that goes on as if nothing were.
// Proves: A7
TEST(AguiDecoder, KnowsAFrameThatIsNone) {
    EXPECT_EQ(decode_agui("{").error(), errc::corrupt_data);
    EXPECT_EQ(decode_agui("[]").error(), errc::corrupt_data);
    const auto opens = decode_agui(R"({"type":"TEXT_MESSAGE_START","messageId":"m"})");
    ASSERT_TRUE(opens);
    EXPECT_FALSE(opens->has_value());
}

}  // namespace
}  // namespace convene
