// SPDX-License-Identifier: Apache-2.0
// Names and emails: what passes.
#include "access/field_rules.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

/// The reason, or "good".
std::string verdict(const checked<>& answer) {
    return answer ? "good" : std::string{word_of(answer.error().reason)};
}

// An email has one `@`, two parts, and nothing that could break a line or a list.
// Proves: X1, R16
TEST(FieldRules, KnowAnEmail) {
    for (const char* email : {"a@b", "ann@example.com", "a.b+c@example.co.jp", "почта@пример.рф"}) {
        EXPECT_EQ(verdict(check_email(email, "email")), "good") << email;
    }
    for (const char* email : {"ann", "@", "a@", "@b", "a@b@c", "a b@c", " a@b", "a@b "}) {
        EXPECT_EQ(verdict(check_email(email, "email")), "malformed") << email;
    }
    EXPECT_EQ(verdict(check_email("", "email")), "empty");
    EXPECT_EQ(verdict(check_email("a@b\n", "email")), "control_character");
    EXPECT_EQ(verdict(check_email("a@b\t", "email")), "control_character");
    EXPECT_EQ(verdict(check_email(std::string{"a@b\0c", 5}, "email")), "nul_character");
    EXPECT_EQ(verdict(check_email("a@\xFF", "email")), "invalid_utf8");
    EXPECT_EQ(verdict(check_email(std::string(252, 'a') + "@b", "email")), "good");
    EXPECT_EQ(verdict(check_email(std::string(253, 'a') + "@b", "email")), "too_long");
    EXPECT_EQ(check_email("a", "user.email").error().field, "user.email");
}

// A name is a line of text.
// Proves: X1, R16
TEST(FieldRules, KnowAName) {
    EXPECT_EQ(verdict(check_name("Ann O'Neil-Müller 部屋", "name")), "good");
    EXPECT_EQ(verdict(check_name("", "name")), "empty");
    EXPECT_EQ(verdict(check_name("   ", "name")), "empty");
    EXPECT_EQ(verdict(check_name("a\nb", "name")), "control_character");
    EXPECT_EQ(verdict(check_name("\x1B[31m", "name")), "control_character");
    EXPECT_EQ(verdict(check_name(std::string(200, 'a'), "name")), "good");
    EXPECT_EQ(verdict(check_name(std::string(201, 'a'), "name")), "too_long");
}

}  // namespace

}  // namespace convene
