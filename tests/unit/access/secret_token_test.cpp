// SPDX-License-Identifier: Apache-2.0
// Secrets and the CSRF value: the documented forms.
#include "access/secret_token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "access/csrf.hpp"
#include "support/documentation.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

scripted_random rising_bytes() {
    std::vector<std::uint8_t> bytes(32);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    return scripted_random{bytes};
}

// A token and its hash are what the page of the format shows, computed by another implementation.
// Proves: X1, X3
TEST(SecretToken, GivesTheGoldenVectors) {
    scripted_random random = rising_bytes();
    const secret_token made = make_secret(secret_kind::api_token, random);
    EXPECT_EQ(made.text, "cvt_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    EXPECT_EQ(made.hash.str(), "ca37a95d56bb11cd33013e4e8d1ca27cdf78bba25c0e255ef615c697f55ec70e");
    const std::string page = documentation_page("formats/secrets.md");
    EXPECT_THAT(page, HasSubstr(made.text));
    EXPECT_THAT(page, HasSubstr(made.hash.str()));
}

// Each is made of 256 bits of its own.
// Proves: X3
TEST(SecretToken, IsRandom) {
    std::set<std::string> texts;
    for (int i = 0; i < 100; ++i) {
        texts.insert(make_secret(secret_kind::link, system_random()).text);
    }
    EXPECT_EQ(texts.size(), 100u);
    scripted_random random = rising_bytes();
    static_cast<void>(make_secret(secret_kind::session, random));
    EXPECT_EQ(random.given(), 32u);
}

// What can be no secret of a kind is told from what may be one.
// Proves: X1
TEST(SecretToken, HasAForm) {
    const std::string text = make_secret(secret_kind::session, system_random()).text;
    EXPECT_TRUE(has_form_of(secret_kind::session, text));
    EXPECT_FALSE(has_form_of(secret_kind::api_token, text));
    EXPECT_FALSE(has_form_of(secret_kind::session, text + "A"));
    EXPECT_FALSE(has_form_of(secret_kind::session, text.substr(1)));
    EXPECT_FALSE(has_form_of(secret_kind::session, "cvs_" + std::string(42, 'A') + "="));
    EXPECT_FALSE(has_form_of(secret_kind::session, ""));
}

// The CSRF value is a function of the session's secret that every worker computes in the same way.
// Proves: X1
TEST(Csrf, BelongsToItsSession) {
    const std::string session = "cvs_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    EXPECT_EQ(csrf_value(session), "LTAasgtSmF_9LhCfx3gVcLOOoWBKhf4S_bkMap_o_l4");
    EXPECT_THAT(documentation_page("formats/secrets.md"), HasSubstr(csrf_value(session)));
    EXPECT_TRUE(is_csrf_value(csrf_value(session), session));
    EXPECT_FALSE(is_csrf_value(csrf_value(session + "x"), session));
    EXPECT_FALSE(is_csrf_value("", session));
    EXPECT_FALSE(is_csrf_value(session, session));
}

}  // namespace

}  // namespace convene
