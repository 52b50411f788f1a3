// SPDX-License-Identifier: Apache-2.0
// Recovery of answers: the keys, and the table of what is done about an unfinished one.
#include "room/agent_recovery.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace convene {
namespace {

using fate = recovery_decision::row_fate;

const delivery_id row{"row"};

std::vector<ops::key_hit> stored(const std::vector<std::string>& keys) {
    std::vector<ops::key_hit> hits{{"reply:other:0:0", "", std::nullopt}};
    for (const std::string& key : keys) {
        hits.push_back({key, "", std::nullopt});
    }
    return hits;
}

recovery_decision regenerate(const std::vector<std::string>& keys) {
    return decide_recovery(row, stored(keys), agent_recovery::regenerate);
}

recovery_decision stop(const std::vector<std::string>& keys) {
    return decide_recovery(row, stored(keys), agent_recovery::stop);
}

const std::string segment_0 = reply_key(row, 0, 0);
const std::string end_0 = reply_end_key(row, 0);
const std::string segment_1 = reply_key(row, 1, 0);
const std::string end_1 = reply_end_key(row, 1);

// The keys are part of what is stored: their spelling is frozen.
// Proves: D7
TEST(ReplyKeys, AreSpelledAsFrozen) {
    EXPECT_EQ(reply_key(row, 0, 12), "reply:row:0:12");
    EXPECT_EQ(reply_end_key(row, 1), "reply:row:1:end");
    EXPECT_EQ(reply_whole_key(row, 0), "reply:row:0:whole");
    EXPECT_EQ(reply_call_key(row, 0, 3), "reply:row:0:call:3");
    EXPECT_TRUE(is_reply_key("reply:row:0:call:3"));
    EXPECT_FALSE(speaks_for_its_answer(reply_call_key(row, 0, 0)));
    EXPECT_TRUE(is_reply_key("reply:row:0:12"));
    EXPECT_FALSE(is_reply_key("my reply:row"));
    EXPECT_FALSE(is_reply_key(""));
}

// The same part of the same answer has the same key at every attempt, and no other has it.
// Proves: D7
TEST(ReplyKeys, AreTheSameForTheSamePartOnly) {
    std::set<std::string> keys;
    for (const auto& id : {delivery_id{"a"}, delivery_id{"b"}}) {
        for (const std::int32_t generation : {0, 1}) {
            for (std::int32_t n = 0; n < 20; ++n) {
                EXPECT_EQ(reply_key(id, generation, n), reply_key(id, generation, n));
                keys.insert(reply_key(id, generation, n));
                keys.insert(reply_call_key(id, generation, n));
            }
            keys.insert(reply_end_key(id, generation));
            keys.insert(reply_whole_key(id, generation));
        }
    }
    EXPECT_EQ(keys.size(), 2U * 2U * 42U);
}

// The keys to ask for are all that the decision looks at.
// Proves: D7
TEST(ReplyKeys, AreListedForRecovery) {
    const std::vector<std::string> expected{
        "reply:row:0:0",
        "reply:row:0:call:0",
        "reply:row:0:end",
        "reply:row:0:whole",
        "reply:row:1:0",
        "reply:row:1:call:0",
        "reply:row:1:end",
        "reply:row:1:whole",
    };
    EXPECT_EQ(recovery_keys(row), expected);
}

// Nothing of an answer is stored: it is made, whatever the policy.
// Proves: D7
TEST(AgentRecovery, AnswersWhatWasNotBegun) {
    EXPECT_EQ(regenerate({}), (recovery_decision{std::nullopt, fate::answer, 0}));
    EXPECT_EQ(stop({}), (recovery_decision{std::nullopt, fate::answer, 0}));
}

// A partial answer is closed, and made again if that is wanted.
// Proves: D7
TEST(AgentRecovery, ClosesAPartialAnswer) {
    EXPECT_EQ(regenerate({segment_0}), (recovery_decision{0, fate::answer, 1}));
    EXPECT_EQ(stop({segment_0}), (recovery_decision{0, fate::fail, 0}));
}

// A worker that died between closing the first answer and beginning the second: nothing is closed
// twice.
// Proves: D7
TEST(AgentRecovery, GoesOnAfterAClosedAnswer) {
    EXPECT_EQ(regenerate({segment_0, end_0}), (recovery_decision{std::nullopt, fate::answer, 1}));
    EXPECT_EQ(stop({segment_0, end_0}), (recovery_decision{std::nullopt, fate::fail, 0}));
}

// An answer that had only called tools was begun all the same: there is one more, and nothing is closed.
// Proves: A9, D7
TEST(AgentRecovery, CountsAnAnswerThatCalledTools) {
    const std::string call_0 = reply_call_key(row, 0, 0);
    const std::string call_1 = reply_call_key(row, 1, 0);
    EXPECT_EQ(regenerate({call_0}), (recovery_decision{std::nullopt, fate::answer, 1}));
    EXPECT_EQ(stop({call_0}), (recovery_decision{std::nullopt, fate::fail, 0}));
    EXPECT_EQ(regenerate({call_0, segment_0}), (recovery_decision{0, fate::answer, 1}));
    EXPECT_EQ(regenerate({call_0, call_1}), (recovery_decision{std::nullopt, fate::fail, 0}));
    EXPECT_EQ(regenerate({call_0, call_1, segment_1}), (recovery_decision{1, fate::fail, 0}));
}

// A second answer that was cut off is closed; there is no third.
// Proves: D7
TEST(AgentRecovery, MakesNoThirdAnswer) {
    for (const auto decide : {regenerate, stop}) {
        EXPECT_EQ(decide({segment_0, end_0, segment_1}), (recovery_decision{1, fate::fail, 0}));
        EXPECT_EQ(
            decide({segment_0, end_0, segment_1, end_1}),
            (recovery_decision{std::nullopt, fate::fail, 0})
        );
    }
}

// A whole answer is stored: only its row is behind.
// Proves: D7
TEST(AgentRecovery, FinishesAWholeAnswer) {
    for (const auto decide : {regenerate, stop}) {
        for (const std::int32_t generation : {0, 1}) {
            const recovery_decision made = decide({segment_0, reply_whole_key(row, generation)});
            EXPECT_EQ(made.then, fate::finish);
            EXPECT_EQ(made.close, std::nullopt);
        }
    }
}

// Whatever is stored and however often workers die, at most two answers are begun, and each that
// was begun is closed before the row ends.
// Proves: D7
TEST(AgentRecovery, AlwaysEndsAfterTwoAnswers) {
    // Each bit: does the worker live long enough for the next of segment, end.
    for (unsigned deaths = 0; deaths < 256; ++deaths) {
        std::set<std::string> known;
        std::set<std::int32_t> begun;
        bool is_over = false;
        for (unsigned round = 0; round < 8 && !is_over; ++round) {
            const recovery_decision made = regenerate(
                std::vector<std::string>{known.begin(), known.end()}
            );
            if (made.close) {
                known.insert(reply_end_key(row, *made.close));
            }
            is_over = made.then != fate::answer;
            const bool gets_to_a_segment = (deaths >> round & 1U) != 0;
            if (!is_over && gets_to_a_segment) {
                begun.insert(made.generation);
                EXPECT_TRUE(known.insert(reply_key(row, made.generation, 0)).second);
            }
        }
        EXPECT_LE(begun.size(), 2U);
        for (const std::int32_t generation : begun) {
            EXPECT_TRUE(!is_over || known.contains(reply_end_key(row, generation)));
        }
    }
}

}  // namespace
}  // namespace convene
