// SPDX-License-Identifier: Apache-2.0
// The secret box: the documented form, and what it does not open.
#include "base/secret_box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/documentation.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

using testing::HasSubstr;
using testing::Not;

const std::string secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
constexpr secret_place place{.table = "hooks", .id = "01890a5d-ac96-774b-bcce-b302099a8057"};

deployment_key rising_key() {
    return *parse_deployment_key("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
}

scripted_random rising_bytes() {
    std::vector<std::uint8_t> bytes(12);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    return scripted_random{bytes};
}

// What is stored is what the page of the format shows, computed by another implementation.
// Proves: X3
TEST(SecretBox, GivesTheGoldenVector) {
    scripted_random random = rising_bytes();
    const std::string sealed = secret_box{rising_key()}.seal(secret, place, random);
    EXPECT_EQ(
        sealed,
        "v1.AAECAwQFBgcICQoLMq8AinkUMoPY9JfMW1lwE5lCEPQITjYv5_"
        "C5zL6OBXD2lpxPBYKADTcpV7xl1YlGiHyPVMDy"
        "wHyFcjQsaE-Z__cF"
    );
    const std::string page = documentation_page("formats/secrets.md");
    EXPECT_THAT(page, HasSubstr(text_of(rising_key())));
    EXPECT_THAT(page, HasSubstr(sealed));
}

// Every secret comes back, and nobody reads it in what is stored, nor sees that two are the same.
// Proves: X3
TEST(SecretBox, OpensWhatItSealed) {
    const secret_box box{make_deployment_key(system_random())};
    for (const std::string& text :
         {std::string{}, std::string{"a"}, secret, std::string(4096, 'x')}) {
        const std::string sealed = box.seal(text, place, system_random());
        const result<std::string> opened = box.open(sealed, place);
        ASSERT_TRUE(opened.has_value());
        EXPECT_EQ(*opened, text);
        EXPECT_NE(box.seal(text, place, system_random()), sealed);
    }
    EXPECT_THAT(box.seal(secret, place, system_random()), Not(HasSubstr(secret)));
}

// Who can write the database moves no secret into another row, and changes none.
// Proves: X3
TEST(SecretBox, OpensNothingElse) {
    const secret_box box{rising_key()};
    const std::string sealed = box.seal(secret, place, system_random());
    const auto is_opened = [&](const std::string& text, const secret_place& where) {
        return box.open(text, where).has_value();
    };
    EXPECT_TRUE(is_opened(sealed, place));
    EXPECT_FALSE(is_opened(sealed, {.table = "channels", .id = place.id}));
    EXPECT_FALSE(is_opened(sealed, {.table = place.table, .id = "another"}));
    EXPECT_FALSE(secret_box{make_deployment_key(system_random())}.open(sealed, place).has_value());
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(is_opened(changed, place)) << i;
        EXPECT_FALSE(is_opened(sealed.substr(0, i), place)) << i;
    }
    EXPECT_EQ(box.open("", place).error(), errc::corrupt_data);
}

// A key is 32 bytes in the one spelling that `openssl rand -base64 32` writes.
// Proves: X3
TEST(SecretBox, KeyHasAForm) {
    EXPECT_EQ(text_of(rising_key()), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    EXPECT_FALSE(is_deployment_key(""));
    EXPECT_FALSE(is_deployment_key("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"));
    EXPECT_FALSE(is_deployment_key(text_of(rising_key()) + '\n'));
    EXPECT_FALSE(is_deployment_key("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="));
}

// Each purpose has a key of its own, the same in every process of the deployment.
// Proves: X3
TEST(SecretBox, HasAKeyForEachPurpose) {
    const secret_box box{rising_key()};
    EXPECT_EQ(box.key_for("a"), secret_box{rising_key()}.key_for("a"));
    EXPECT_NE(box.key_for("a"), box.key_for("b"));
    EXPECT_NE(box.key_for("a"), secret_box{make_deployment_key(system_random())}.key_for("a"));
}

}  // namespace

}  // namespace convene
