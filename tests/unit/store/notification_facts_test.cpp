// SPDX-License-Identifier: Apache-2.0
// What is told is read again as it was meant, whatever names there are.
#include "store/notification_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

using kind = notification_kind;
using outcome = notification_outcome;
using count = notification_facts::task_count;

constexpr wall_time now{microseconds{42}};

notification told(const notification_facts& facts, const std::string& user = "ann") {
    return notice_of(facts, organization_id{"acme"}, user, now);
}

// Names that look like parts of the sentence are names.
// Proves: W3
TEST(NotificationFacts, AreReadAsTheyWereTold) {
    for (const std::string name :
         {"Returns", "Returns: EU", "", "Returns: failed", "The draft is ready: ", "3 tasks", "返品"
         }) {
        for (const notification_facts& facts : {
                 notification_facts{kind::draft_ready, "w", name, outcome::completed, count{0, 3}},
                 notification_facts{
                     kind::generation_failed, "w", name, outcome::failed, {}, "no_tasks"
                 },
                 notification_facts{
                     kind::execution_completed, "e", name, outcome::completed, count{2, 2}
                 },
                 notification_facts{
                     kind::execution_completed, "e", name, outcome::failed, count{1, 12}
                 },
                 notification_facts{kind::approval_request, "a", name},
             }) {
            EXPECT_EQ(facts_of(told(facts)), facts) << told(facts).title;
        }
    }
}

// The sentences are stored, and the ids keep what was told from being told again: neither changes with a version.
// Proves: S2, W3
TEST(NotificationFacts, KeepTheirForm) {
    const notification ready = told(
        {kind::draft_ready, "w", "Returns", outcome::completed, count{0, 3}}
    );
    EXPECT_EQ(ready.id.str(), "bd1e053f-c107-507c-bcec-fa1d35b0f268");
    EXPECT_EQ(ready.title, "The draft is ready: Returns");
    EXPECT_EQ(ready.body, "3 tasks");
    EXPECT_EQ(ready.link, "/api/v1/workflows/w");
    const notification failed = told(
        {kind::generation_failed, "w", "Returns", outcome::failed, {}, "no_tasks"}
    );
    EXPECT_EQ(failed.title, "The draft could not be made: Returns");
    EXPECT_EQ(failed.body, "no_tasks");
    EXPECT_EQ(failed.link, "/api/v1/workflows/w");
    const notification ended = told(
        {kind::execution_completed, "e", "Returns", outcome::failed, count{1, 3}}
    );
    EXPECT_EQ(ended.id.str(), "a9a189e7-2bf4-56a6-a56d-ab3ed518dab4");
    EXPECT_EQ(ended.title, "Returns: failed");
    EXPECT_EQ(ended.body, "1 of 3 tasks completed");
    EXPECT_EQ(ended.link, "/api/v1/workflow-executions/e");
    const notification asked = told({kind::approval_request, "a", "May I?"});
    EXPECT_EQ(asked.title, "An agent asks: May I?");
    EXPECT_EQ(asked.body, "");
    EXPECT_EQ(asked.link, "/api/v1/approvals/a");
}

// Whoever may decide is told, each with a notification of one's own.
// Proves: W3
TEST(NotificationFacts, TellEachOfAnApproval) {
    const notification_facts facts{kind::approval_request, "a", "May I?"};
    EXPECT_EQ(told(facts, "ann").id, told(facts, "ann").id);
    EXPECT_NE(told(facts, "ann").id, told(facts, "bob").id);
}

// A sentence of another version is shown as it is.
// Proves: S2
TEST(NotificationFacts, ShowWhatTheyDoNotKnowAsItIs) {
    notification unknown = told({kind::execution_completed, "e", "", outcome::failed, count{}});
    for (const std::string body :
         {"", "tasks completed", " of  tasks completed", "x of 3 tasks completed"}) {
        unknown.title = "Something else";
        unknown.body = body;
        unknown.link = "/api/v2/executions/e";
        EXPECT_EQ(
            facts_of(unknown), (notification_facts{kind::execution_completed, "", "Something else"})
        );
    }
}

}  // namespace
}  // namespace convene
