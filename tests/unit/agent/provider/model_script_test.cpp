// SPDX-License-Identifier: Apache-2.0
// Scripts: what is one, and what their author is told otherwise.
#include "agent/provider/model_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "support/documentation.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

std::string problem_of(std::string_view text) {
    const auto parsed = model_script::parse(text);
    return parsed ? "none" : parsed.error().message();
}

std::string with_step(std::string_view step) {
    return "model-script 1\notherwise\n  " + std::string{step} + "\n";
}

TEST(ModelScript, ReadsBlocksConditionsAndSteps) {
    const auto parsed = model_script::parse(
        "\n# a comment\nmodel-script 1\r\npace 30ms\nask-tool ask\n\n"
        "when turn 2 and says \"a b\" or \"c\"\n  say x\nwhen turn 1\nwhen says \"d\"\notherwise\n"
        "think $user\nwait 2s\nfail overloaded\nend length\ncall f {\"a\": \"$result2.b.c\"}\nask "
        "Go?\nif failed say no"
    );
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
    EXPECT_EQ(parsed->pace(), milliseconds{30});
    ASSERT_EQ(parsed->blocks().size(), 4U);
    EXPECT_EQ(parsed->blocks()[0].turn, 2);
    EXPECT_THAT(parsed->blocks()[0].words, testing::ElementsAre("a b", "c"));
    EXPECT_EQ(parsed->blocks()[1].turn, 1);
    const auto& steps = parsed->blocks()[3].steps;
    ASSERT_EQ(steps.size(), 7U);
    EXPECT_EQ(std::get<wait_step>(steps[1].action).span, seconds{2});
    EXPECT_EQ(std::get<fail_step>(steps[2].action).code, errc::model_overloaded);
    const auto& call = std::get<call_step>(steps[4].action);
    const auto& variable = std::get<script_variable>(call.arguments[1]);
    EXPECT_EQ(variable.number, 2U);
    EXPECT_THAT(variable.path, testing::ElementsAre("b", "c"));
    EXPECT_EQ(std::get<call_step>(steps[5].action).tool, "ask");
    EXPECT_EQ(steps[6].guard, step_guard::if_failed);
}

// Each mistake is told with its line and a remedy.
TEST(ModelScript, SaysWhatIsWrongAndWhere) {
    EXPECT_THAT(problem_of(""), HasSubstr("line 1: a script begins with"));
    EXPECT_THAT(problem_of("# x\nmodel-script 2\n"), HasSubstr("line 2: a script begins with"));
    EXPECT_THAT(problem_of("model-script 1\n"), HasSubstr("line 1: the last block is `otherwise`"));
    EXPECT_THAT(
        problem_of("model-script 1\nsay x\n"), HasSubstr("line 2: 'say' belongs to no block")
    );
    EXPECT_THAT(
        problem_of("model-script 1\notherwise\nwhen turn 1\n"),
        HasSubstr("line 3: nothing comes behind")
    );
    EXPECT_THAT(
        problem_of("model-script 1\notherwise\npace 1s\n"), HasSubstr("line 3: 'pace' comes before")
    );
    EXPECT_THAT(problem_of("model-script 1\npace 2s\n"), HasSubstr("line 2: a pace is"));
    EXPECT_THAT(problem_of("model-script 1\nask-tool a b\n"), HasSubstr("line 2: a tool's name"));
    for (const char* head :
         {"when",
          "when turn",
          "when turn 0",
          "when turn 1 or 2",
          "when says",
          "when says x",
          "when says \"\"",
          "when says \"a\" \"b\"",
          "when says \"a",
          "when turn 1 and says",
          "when it says \"a\""}) {
        EXPECT_THAT(
            problem_of("model-script 1\n" + std::string{head} + "\n"),
            HasSubstr("line 2: a condition")
        ) << head;
    }
    EXPECT_THAT(
        problem_of("model-script 1\notherwise say x\n"),
        HasSubstr("line 2: `otherwise` stands alone")
    );
    EXPECT_THAT(problem_of(with_step("shout x")), HasSubstr("line 3: 'shout' is no step"));
    EXPECT_THAT(problem_of(with_step("if worked say x")), HasSubstr("line 3: `if` looks at"));
    EXPECT_THAT(problem_of(with_step("if x say x")), HasSubstr("line 3: a step is guarded"));
    EXPECT_THAT(problem_of(with_step("call f [1]")), HasSubstr("line 3: a call has"));
    EXPECT_THAT(problem_of(with_step("call f {\"a\": $user}")), HasSubstr("line 3: a call has"));
    EXPECT_THAT(problem_of(with_step("call a.b {}")), HasSubstr("line 3: a call has"));
    EXPECT_THAT(problem_of(with_step("wait 2")), HasSubstr("line 3: a wait is"));
    EXPECT_THAT(problem_of(with_step("wait 601s")), HasSubstr("line 3: a wait is"));
    EXPECT_THAT(problem_of(with_step("fail badly")), HasSubstr("line 3: a failure is"));
    EXPECT_THAT(problem_of(with_step("end now")), HasSubstr("line 3: an end is"));
    EXPECT_THAT(problem_of(with_step("say $who")), HasSubstr("line 3: '$who' is no variable"));
    EXPECT_THAT(problem_of(with_step("say $result0")), HasSubstr("line 3: results are counted"));
    EXPECT_THAT(problem_of("model-script 1\n\xFF"), HasSubstr("UTF-8"));
    EXPECT_EQ(problem_of(with_step("say it costs $5, $$user and 3 $")), "none");
}

// The page's example and the sample that comes with the program are scripts.
TEST(ModelScript, IsDocumentedTruly) {
    const std::string page = documentation_page("formats/model-script.md");
    const std::string mark = "```\nmodel-script 1";
    const std::size_t begin = page.find(mark);
    ASSERT_NE(begin, std::string::npos);
    const std::size_t end = page.find("```", begin + mark.size());
    EXPECT_EQ(problem_of(page.substr(begin + 4, end - begin - 4)), "none");
    std::ifstream sample{CONVENE_SAMPLE_DIR "/agent.script"};
    const std::string text{std::istreambuf_iterator<char>{sample}, {}};
    EXPECT_EQ(problem_of(text), "none");
}

}  // namespace

}  // namespace convene
