// SPDX-License-Identifier: Apache-2.0
// What `doctor` says of a server.
#include "app/doctor/server_examination.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace convene {

namespace {

/// A server with nothing to complain about.
server_facts sound_facts() {
    server_facts facts;
    facts.url = "http://here";
    facts.own_version = "0.1.0";
    facts.is_ready = true;
    facts.version = "0.1.0";
    facts.organization = "default";
    facts.live_workers = 1;
    facts.lanes = server_facts::lane_totals{};
    facts.has_skips = false;
    return facts;
}

verdict verdict_of(const server_facts& facts, std::string_view name) {
    const std::vector<check_result> checks = judge(facts);
    const auto found = std::ranges::find(checks, name, &check_result::name);
    EXPECT_NE(found, checks.end()) << name;
    return found == checks.end() ? verdict::sound : found->what;
}

failure refusal(exit_code ending) { return {ending, "why", "what to do"}; }

TEST(ServerDoctor, FindsNothingWrongWhereNothingIs) {
    EXPECT_EQ(worst_of(judge(sound_facts())), verdict::sound);
}

// Where nobody answers, nothing else can be said.
TEST(ServerDoctor, SaysOnlyThatNobodyAnswers) {
    server_facts facts;
    facts.unreachable = refusal(exit_code::database_problem);
    const std::vector<check_result> checks = judge(facts);
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks.front().what, verdict::problem);
    EXPECT_EQ(checks.front().remedy, "what to do");
}

TEST(ServerDoctor, TellsProblemsFromWarnings) {
    server_facts facts = sound_facts();
    facts.is_ready = false;
    facts.version = "0.2.0";
    facts.live_workers = 0;
    facts.lanes = server_facts::lane_totals{5, 2};
    facts.has_skips = true;
    EXPECT_EQ(verdict_of(facts, "ready"), verdict::problem);
    for (const char* name : {"version", "workers", "deliveries", "skips"}) {
        EXPECT_EQ(verdict_of(facts, name), verdict::warning) << name;
    }
    facts.lanes = server_facts::lane_totals{5, 0};
    EXPECT_EQ(verdict_of(facts, "deliveries"), verdict::sound) << "this worker is at it";
}

// Everything that is wrong comes with what to do about it.
TEST(ServerDoctor, SaysWhatToDo) {
    server_facts facts = sound_facts();
    facts.is_ready = false;
    facts.version = "";
    facts.live_workers = 0;
    facts.lanes = server_facts::lane_totals{5, 5};
    facts.has_skips = true;
    facts.no_operator = refusal(exit_code::usage);
    for (const check_result& check : judge(facts)) {
        EXPECT_EQ(check.what == verdict::sound, check.remedy.empty()) << check.name;
    }
}

// Who is not known, or is no operator, is told so, and what could not be asked is not judged.
TEST(ServerDoctor, SaysWhatTheTokenMayNotAsk) {
    server_facts facts = sound_facts();
    facts.live_workers.reset();
    facts.lanes.reset();
    facts.has_skips.reset();
    facts.no_operator = refusal(exit_code::usage);
    EXPECT_EQ(verdict_of(facts, "operation"), verdict::warning);
    EXPECT_EQ(judge(facts).size(), 5U);
    facts.unknown_token = refusal(exit_code::usage);
    EXPECT_EQ(verdict_of(facts, "token"), verdict::problem);
    EXPECT_EQ(judge(facts).size(), 4U);
}

}  // namespace

}  // namespace convene
