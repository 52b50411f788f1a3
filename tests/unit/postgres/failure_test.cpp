// SPDX-License-Identifier: Apache-2.0
// Tests of what PostgreSQL's error codes mean.
#include "postgres/failure.hpp"

#include <gtest/gtest.h>

namespace convene::postgres {

namespace {

// Each miss of a commit's compare keeps its own meaning.
// Proves: R1, L7
TEST(Failure, TellsExpectationsApart) {
    EXPECT_EQ(code_of(expected_room, ""), errc::room_changed);
    EXPECT_EQ(code_of(expected_claim, ""), errc::claim_lost);
    EXPECT_EQ(code_of(expected_driver, ""), errc::driver_fenced);
    EXPECT_EQ(code_of(expected_new_key, ""), errc::duplicate_key);
    EXPECT_EQ(code_of(expected_target, ""), errc::target_event_not_found);
    EXPECT_EQ(code_of(expected_free_index, ""), errc::duplicate_index);
}

// A broken unique index says by its name what was there already.
// Proves: R2, R8
TEST(Failure, TellsWhichIndexWasBroken) {
    EXPECT_EQ(code_of("23505", "idx_events_room_index"), errc::duplicate_index);
    EXPECT_EQ(code_of("23505", "events_key"), errc::duplicate_key);
    EXPECT_EQ(code_of("23505", "events_id"), errc::invalid_argument);
}

// Without a code the connection itself has ended: nothing is known of what it was doing.
// Proves: L8
TEST(Failure, TakesNoCodeForALostConnection) { EXPECT_EQ(code_of("", ""), errc::connection_lost); }

// Only what others caused is worth another try.
TEST(Failure, RepeatsConflictsOnly) {
    EXPECT_TRUE(is_worth_repeating("40001"));
    EXPECT_TRUE(is_worth_repeating("40P01"));
    EXPECT_FALSE(is_worth_repeating("23505"));
    EXPECT_EQ(code_of("22021", ""), errc::invalid_argument);
    EXPECT_EQ(code_of("57014", ""), errc::timed_out);
    EXPECT_EQ(code_of("53300", ""), errc::unavailable);
}

}  // namespace

}  // namespace convene::postgres
