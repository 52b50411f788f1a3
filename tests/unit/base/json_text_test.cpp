// SPDX-License-Identifier: Apache-2.0
// `json_text`: canonical by construction, comparable as text.
#include "convene/json_text.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace convene {

namespace {

static_assert(!std::is_convertible_v<std::string, json_text>, "text is no JSON by being text");

TEST(JsonText, IsAnEmptyObjectAtFirst) { EXPECT_EQ(json_text{}.str(), "{}"); }

// Equal values in two spellings become equal texts.
// Proves: R16
TEST(JsonText, ParsesIntoOneSpelling) {
    const result<json_text> spaced = json_text::parse(R"( {"a" : "\u0041"} )");
    ASSERT_TRUE(spaced);
    EXPECT_EQ(spaced->str(), R"({"a":"A"})");
    EXPECT_EQ(*spaced, json_text::parse(R"({"a":"A"})").value());
}

// Proves: R16
TEST(JsonText, RefusesWhatIsNotJson) {
    EXPECT_EQ(json_text::parse("{").error(), make_error_code(errc::invalid_argument));
}

TEST(JsonText, TakesItsOwnTextBack) {
    const json_text text = json_text::parse(R"({"b":[1.0,null]})").value();
    EXPECT_EQ(json_text::trusted(text.str()), text);
}

#ifndef NDEBUG
TEST(JsonTextDeathTest, FindsMisplacedTrust) {
    EXPECT_DEATH(static_cast<void>(json_text::trusted("{ }")), "not canonical");
}
#endif

}  // namespace

}  // namespace convene
