// SPDX-License-Identifier: Apache-2.0
// Database URLs: which are taken, and what of them may be shown.
#include "base/config/database_url.hpp"

#include <gtest/gtest.h>

namespace convene {

namespace {

TEST(DatabaseUrl, IsRecognisedByItsScheme) {
    EXPECT_TRUE(is_database_url("sqlite:///convene.db"));
    EXPECT_TRUE(is_database_url("postgresql://db/convene"));
    EXPECT_TRUE(is_database_url("postgres://db/convene"));
    EXPECT_FALSE(is_database_url("sqlite:///"));
    EXPECT_FALSE(is_database_url("sqlite://convene.db"));
    EXPECT_FALSE(is_database_url("mysql://db/convene"));
    EXPECT_FALSE(is_database_url("convene.db"));
    EXPECT_FALSE(is_database_url(""));
}

// Whatever is odd about the URL, the password is not in what is shown.
// Proves: O5
TEST(DatabaseUrl, IsShownWithoutItsPassword) {
    EXPECT_EQ(
        redacted_database_url("sqlite:///var/lib/convene.db"), "sqlite:///var/lib/convene.db"
    );
    EXPECT_EQ(redacted_database_url("postgresql://db:5432/x"), "postgresql://db:5432/x");
    EXPECT_EQ(redacted_database_url("postgresql://ann@db/x"), "postgresql://ann@db/x");
    EXPECT_EQ(redacted_database_url("postgresql://ann:pw@db/x"), "postgresql://ann:***@db/x");
    EXPECT_EQ(redacted_database_url("postgresql://ann:p@w@db/x"), "postgresql://ann:***@db/x");
    EXPECT_EQ(redacted_database_url("postgresql://ann:p:w@db/x"), "postgresql://ann:***@db/x");
    EXPECT_EQ(
        redacted_database_url("postgresql://ann@db/x?password=pw&sslmode=require"),
        "postgresql://ann@db/x?***"
    );
    EXPECT_EQ(redacted_database_url("host=db password=pw"), "***");
}

}  // namespace

}  // namespace convene
