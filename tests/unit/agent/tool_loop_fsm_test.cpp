// SPDX-License-Identifier: Apache-2.0
// The rounds of an answer with tools: each line of the table of what follows an answer.
#include "agent/tool_loop_fsm.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/scripted_tool.hpp"

namespace convene {
namespace {

class ToolLoopFsm : public testing::Test {
   protected:
    ToolLoopFsm() {
        const auto strict = std::make_shared<scripted_tool>(
            "strict", R"({"type":"object","required":["q"]})", nullptr
        );
        EXPECT_TRUE(tools_.add(scripted_tool::saying("search", "found")));
        EXPECT_TRUE(tools_.add(strict));
    }

    [[nodiscard]] tool_loop_fsm machine(tool_loop_limits limits = {}) const {
        return {tools_, {"confirm"}, limits};
    }

    static model_answer calling(const std::vector<std::string>& names) {
        model_answer made;
        made.finish = finish_reason::tool_calls;
        for (const std::string& name : names) {
            made.message.calls.push_back({std::to_string(made.message.calls.size()), name, {}});
        }
        return made;
    }

    static std::string fates(const loop_decision& decided) {
        std::string letters;
        for (const planned_call& one : decided.calls) {
            letters += one.what == planned_call::fate::call     ? 'c'
                       : one.what == planned_call::fate::refuse ? 'r'
                                                                : 'o';
        }
        return letters + (decided.goes_on ? " on" : " " + std::string{word_of(decided.finish)});
    }

    toolbox tools_;
};

// An answer without calls ends the loop as it finished itself.
// Proves: A9
TEST_F(ToolLoopFsm, EndsWhenAllIsSaid) {
    for (const auto& [reason, word] : std::vector<std::pair<finish_reason, std::string>>{
             {finish_reason::stop, " stop"},
             {finish_reason::length, " length"},
             {finish_reason::refused, " refused"},
         }) {
        model_answer answer;
        answer.finish = reason;
        EXPECT_EQ(fates(machine().on_answer(answer)), word);
    }
}

// Tools of ours are called and the model is asked again; one that is not there or gets the wrong arguments is refused
// with a reason that the model can act on.
// Proves: A9
TEST_F(ToolLoopFsm, CallsWhatCanBeCalled) {
    const loop_decision decided = machine().on_answer(calling({"search", "nothing", "strict"}));
    EXPECT_EQ(fates(decided), "crr on");
    EXPECT_EQ(decided.calls[1].refusal, "There is no tool of this name.");
    EXPECT_NE(decided.calls[2].refusal.find("q"), std::string::npos);
}

// A call of a client's tool ends the loop; what is ours is called before.
// Proves: A5, A9
TEST_F(ToolLoopFsm, LeavesTheClientItsCalls) {
    EXPECT_EQ(fates(machine().on_answer(calling({"search", "confirm"}))), "co client_calls");
}

// A client's call that makes no sense is refused like one of ours, and the model asked again if none is left.
// Proves: A6, A9
TEST_F(ToolLoopFsm, RefusesClientCallsByTheCheck) {
    tool_loop_fsm checking{tools_, {"confirm", "ask"}, {}, [](const tool_call& call) {
                               return call.name == "confirm" ? std::optional<std::string>{"No."}
                                                             : std::nullopt;
                           }};
    const loop_decision decided = checking.on_answer(calling({"search", "confirm"}));
    EXPECT_EQ(fates(decided), "cr on");
    EXPECT_EQ(decided.calls[1].refusal, "No.");
    EXPECT_EQ(fates(checking.on_answer(calling({"confirm", "ask"}))), "ro client_calls");
}

// Calls of an answer that was cut off may not be what the model wanted.
// Proves: A9
TEST_F(ToolLoopFsm, MakesNoCallsOfACutAnswer) {
    model_answer cut = calling({"search"});
    cut.finish = finish_reason::length;
    EXPECT_EQ(fates(machine().on_answer(cut)), "r length");
}

// The last round makes no calls, and a round makes only so many.
// Proves: A9
TEST_F(ToolLoopFsm, HasLimits) {
    tool_loop_fsm few = machine({.rounds = 2, .calls_per_round = 2});
    EXPECT_EQ(fates(few.on_answer(calling({"search", "search", "search"}))), "ccr on");
    EXPECT_EQ(fates(few.on_answer(calling({"search"}))), "r tool_limit");
    EXPECT_EQ(few.rounds(), 2);
}

}  // namespace
}  // namespace convene
