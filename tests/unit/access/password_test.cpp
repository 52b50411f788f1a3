// SPDX-License-Identifier: Apache-2.0
// Password hashes: the documented form, and what is refused.
#include "access/password.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "support/documentation.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

constexpr scrypt_cost cheap{.log2_n = 4, .r = 8, .p = 1};
const std::string staple = "correct horse battery staple";

password_salt rising_salt() {
    password_salt salt{};
    std::uint8_t next = 0;
    std::ranges::generate(salt, [&next] { return next++; });
    return salt;
}

// A hash is the very text that the page of the format shows, computed by another implementation: every version
// reads it.
// Proves: X1, X3
TEST(Password, GivesTheGoldenVectors) {
    const std::string latin = hash_password(staple, rising_salt(), {});
    EXPECT_EQ(
        latin,
        "$scrypt$ln=15,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$eo40JB24mNWRdcaWU4xBdGepdf/laQaEJfFhiNMVnFg"
    );
    EXPECT_THAT(documentation_page("formats/secrets.md"), HasSubstr(latin));
    EXPECT_EQ(
        hash_password("пароль-部屋-42", rising_salt(), {}),
        "$scrypt$ln=15,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$XOF8akq2FA/OitCVlAWmOVV4G8OT1+mQQH+sZvASUWY"
    );
}

// The password matches its hash, whatever the hash cost, and no other does.
// Proves: X1
TEST(Password, MatchesItsHash) {
    const std::string stored = hash_password(staple, rising_salt(), cheap);
    EXPECT_TRUE(is_password(staple, stored));
    EXPECT_FALSE(is_password("correct horse battery stapl", stored));
    EXPECT_FALSE(is_password(staple + " ", stored));
    EXPECT_FALSE(is_password("", stored));
}

// A stored text of another form, or one that would cost too much, matches nothing and does no harm.
// Proves: X1
TEST(Password, RefusesForeignHashes) {
    const std::string good = hash_password(staple, rising_salt(), cheap);
    ASSERT_TRUE(is_password(staple, good));
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
        EXPECT_FALSE(is_password(staple, good.substr(0, cut)));
    }
    EXPECT_FALSE(is_password(staple, good + "A"));
    EXPECT_FALSE(is_password(staple, good + "$"));
    for (const char* cost :
         {"ln=0,r=8,p=1",
          "ln=20,r=32,p=1",
          "ln=63,r=8,p=1",
          "ln=-1,r=8,p=1",
          "ln=4,r=0,p=1",
          "ln=4,r=8,p=999",
          "ln=99999999999,r=8,p=1"}) {
        std::string text = good;
        text.replace(text.find("ln="), std::string{"ln=4,r=8,p=1"}.size(), cost);
        EXPECT_FALSE(is_password(staple, text)) << text;
    }
    std::string padded = good;
    padded.replace(padded.rfind('$'), 1, "==$");
    EXPECT_FALSE(is_password(staple, padded));
}

// The hash for users who are not there is one that nothing matches.
// Proves: X1
TEST(Password, MatchesNothingForNobody) {
    EXPECT_FALSE(is_password("", unmatched_hash(cheap)));
    EXPECT_FALSE(is_password(staple, unmatched_hash(cheap)));
}

// Ten characters are enough, whatever bytes they take; more than 1024 bytes are refused.
// Proves: X1
TEST(Password, HasBounds) {
    EXPECT_FALSE(check_password("123456789", "p"));
    EXPECT_TRUE(check_password("1234567890", "p"));
    EXPECT_FALSE(check_password("部屋部屋部屋部屋部", "p"));
    EXPECT_TRUE(check_password("部屋部屋部屋部屋部屋", "p"));
    EXPECT_TRUE(check_password(std::string(1024, 'x'), "p"));
    EXPECT_EQ(
        check_password(std::string(1025, 'x'), "p").error(),
        (boundary_error{"p", boundary_reason::too_long})
    );
    EXPECT_EQ(
        check_password("short", "password").error(),
        (boundary_error{"password", boundary_reason::too_short})
    );
    EXPECT_EQ(check_password("1234567890\xFF", "p").error().reason, boundary_reason::invalid_utf8);
}

}  // namespace

}  // namespace convene
