// SPDX-License-Identifier: Apache-2.0
// Suggestions: a slip of the finger is recognised, another word is not.
#include "base/config/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {

namespace {

const std::vector<std::string> known{"DB_URL", "LOG_LEVEL", "PROCESS_TIMEOUT"};

// Proves: O5
TEST(NearestWord, FindsTheMistypedOne) {
    EXPECT_EQ(nearest_word("DB_URI", known), "DB_URL");
    EXPECT_EQ(nearest_word("LOGLEVEL", known), "LOG_LEVEL");
    EXPECT_EQ(nearest_word("PROCESS_TIMEOUT_SECONDS", known), std::nullopt);
    EXPECT_EQ(nearest_word("PROCES_TIMEOT", known), "PROCESS_TIMEOUT");
}

TEST(NearestWord, OffersNothingForAnotherWord) {
    EXPECT_EQ(nearest_word("REDIS_URL", known), std::nullopt);
    EXPECT_EQ(nearest_word("", known), std::nullopt);
    EXPECT_EQ(nearest_word("DB_URL", {}), std::nullopt);
    EXPECT_EQ(nearest_word(std::string(1'000'000, 'x'), known), std::nullopt);
}

}  // namespace

}  // namespace convene
