// SPDX-License-Identifier: Apache-2.0
// Tests of the doctor's judgement: each fact that is wrong, by itself.
#include "app/doctor/examination.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace convene {

namespace {

constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;

database_facts sound_facts() {
    database_facts facts;
    facts.file = "test.db";
    facts.about_file = {true, true, true, true, true, 4096, 50 * gibibyte};
    facts.writer = database_facts::writer_state::none;
    facts.figures.emplace();
    facts.now = wall_time{seconds{1'000'000}};
    return facts;
}

verdict verdict_of(const database_facts& facts, std::string_view name) {
    const auto checks = judge(facts);
    const auto found = std::ranges::find(checks, name, &check_result::name);
    EXPECT_NE(found, checks.end()) << name;
    return found == checks.end() ? verdict::sound : found->what;
}

TEST(Doctor, FindsNothingWhereNothingIs) {
    EXPECT_EQ(worst_of(judge(sound_facts())), verdict::sound);
}

// Whatever is wrong comes with what to do about it.
TEST(Doctor, SaysWhatToDo) {
    database_facts facts;
    facts.open_failure = "no database";
    facts.open_remedy = "make one";
    facts.about_file.exists = true;
    for (const check_result& check : judge(facts)) {
        EXPECT_EQ(check.remedy.empty(), check.what == verdict::sound) << check.name;
    }
}

TEST(Doctor, JudgesTheFile) {
    database_facts facts = sound_facts();
    facts.about_file.is_writable = false;
    EXPECT_EQ(verdict_of(facts, "file"), verdict::warning);
    facts.about_file.is_readable = false;
    EXPECT_EQ(verdict_of(facts, "file"), verdict::problem);
    facts = sound_facts();
    facts.about_file.is_regular = false;
    EXPECT_EQ(verdict_of(facts, "file"), verdict::problem);
    facts.about_file.exists = false;
    EXPECT_EQ(verdict_of(facts, "file"), verdict::problem);
}

TEST(Doctor, JudgesTheDisk) {
    database_facts facts = sound_facts();
    facts.about_file.free_bytes = gibibyte / 2;
    EXPECT_EQ(verdict_of(facts, "disk"), verdict::warning);
    facts.about_file.free_bytes = gibibyte / 20;
    EXPECT_EQ(verdict_of(facts, "disk"), verdict::problem);
}

TEST(Doctor, JudgesIndexes) {
    database_facts facts = sound_facts();
    facts.figures->index_is_unique = false;
    EXPECT_EQ(verdict_of(facts, "unique_index"), verdict::warning);
    facts.figures->duplicate_rows = 1;
    EXPECT_EQ(verdict_of(facts, "unique_index"), verdict::problem);
}

// Waiting is all right while a process is at it, and not for long.
TEST(Doctor, JudgesDeliveriesByTheirWriterAndAge) {
    database_facts facts = sound_facts();
    facts.figures->pending_deliveries = 3;
    EXPECT_EQ(verdict_of(facts, "deliveries"), verdict::warning);
    facts.writer = database_facts::writer_state::running;
    EXPECT_EQ(verdict_of(facts, "deliveries"), verdict::sound);
    facts.oldest_pending = facts.now - seconds{299};
    EXPECT_EQ(verdict_of(facts, "deliveries"), verdict::sound);
    facts.oldest_pending = facts.now - seconds{301};
    EXPECT_EQ(verdict_of(facts, "deliveries"), verdict::warning);
}

TEST(Doctor, JudgesWhatWasPutOffOrPassedOver) {
    database_facts facts = sound_facts();
    facts.figures->outbound_waiting = 1;
    EXPECT_EQ(verdict_of(facts, "outbound_queue"), verdict::warning);
    facts.figures->skips = 1;
    EXPECT_EQ(verdict_of(facts, "skips"), verdict::warning);
}

TEST(Doctor, JudgesTheLogAndTheWriter) {
    database_facts facts = sound_facts();
    facts.about_file.has_write_ahead_log = false;
    EXPECT_EQ(verdict_of(facts, "write_ahead_log"), verdict::warning);
    facts.writer = database_facts::writer_state::unknown;
    EXPECT_EQ(verdict_of(facts, "writer"), verdict::warning);
}

}  // namespace

}  // namespace convene
