// SPDX-License-Identifier: Apache-2.0
// What somebody types at a question of an execution.
#include "app/run_questions.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace convene {
namespace {

approval_report asked(std::string kind) {
    approval_report open;
    open.id = "a1";
    open.kind = std::move(kind);
    return open;
}

/// `verb:response`, or nothing.
std::string decided(const std::string& kind, const std::string& typed) {
    const std::optional<approvals_options> how = read_typed_decision(asked(kind), typed);
    if (!how) {
        return "";
    }
    EXPECT_EQ(how->approval, "a1");
    const std::string verb = how->verb == approval_verb::approve  ? "approve"
                             : how->verb == approval_verb::reject ? "reject"
                                                                  : "return";
    return verb + ":" + how->response;
}

// A word decides, and what stands behind it is for the agent; anything else decides nothing.
// Proves: A6
TEST(RunQuestions, DecideByAWord) {
    EXPECT_EQ(decided("approval", "approve"), "approve:");
    EXPECT_EQ(decided("approval", " a  only this time \r"), "approve:only this time");
    EXPECT_EQ(decided("approval", "reject too much"), "reject:too much");
    EXPECT_EQ(decided("approval", "t name the customer"), "return:name the customer");
    for (const char* const typed : {"", "  ", "yes", "approved", "A", "rejected"}) {
        EXPECT_EQ(decided("approval", typed), "") << typed;
    }
}

// To a question the line is the answer, whatever it says.
// Proves: A6
TEST(RunQuestions, AnswerByTheLine) {
    EXPECT_EQ(decided("input", "approve"), "approve:approve");
    EXPECT_EQ(decided("input", R"( {"colour":"blue"} )"), R"(approve:{"colour":"blue"})");
    EXPECT_EQ(decided("input", "   "), "");
}

}  // namespace
}  // namespace convene
