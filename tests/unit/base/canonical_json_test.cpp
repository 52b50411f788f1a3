// SPDX-License-Identifier: Apache-2.0
// Slices of canonical JSON: what looks like structure inside strings is not.
#include "base/canonical_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json_writer.hpp"

namespace convene {

namespace {

TEST(CanonicalJson, FindsMembersWhateverStandsBeforeThem) {
    constexpr std::string_view
        object = R"({"a":"},{\"b\":1","c":[{"b":2},"]"],"d":{"b":3},"b":4.50,"e":null})";
    EXPECT_EQ(find_member(object, "b"), "4.50");
    EXPECT_EQ(find_member(object, "c"), R"([{"b":2},"]"])");
    EXPECT_EQ(find_member(object, "e"), "null");
    EXPECT_EQ(find_member(object, "f"), std::nullopt);
}

TEST(CanonicalJson, SplitsObjectsAndArrays) {
    const auto members = members_of(R"({"a":1,"\n":[2,3]})");
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].key, "a");
    EXPECT_EQ(members[0].value, "1");
    EXPECT_EQ(members[1].key, R"(\n)");
    EXPECT_EQ(members[1].value, "[2,3]");
    EXPECT_EQ(
        elements_of(R"([1,"a,b",[2,[]],{}])"),
        (std::vector<std::string_view>{"1", R"("a,b")", "[2,[]]", "{}"})
    );
}

// Empty containers and values of another kind have nothing inside.
TEST(CanonicalJson, FindsNothingWhereNothingIs) {
    for (const std::string_view value : {"", "{}", "[]", "1", "\"\"", "null", "[1]"}) {
        EXPECT_TRUE(members_of(value).empty()) << value;
        EXPECT_EQ(find_member(value, "a"), std::nullopt) << value;
    }
    for (const std::string_view value : {"", "{}", "[]", "1", "\"[1]\"", R"({"a":1})"}) {
        EXPECT_TRUE(elements_of(value).empty()) << value;
    }
    EXPECT_EQ(find_text(R"({"a":1})", "a"), std::nullopt);
    EXPECT_EQ(find_text(R"({"a":"x"})", "b"), std::nullopt);
}

TEST(CanonicalJson, DecodesWhatTheWriterEncodes) {
    for (const std::string_view text :
         {"", "plain", "\"\\/\b\f\n\r\t\x01\x1F\x7F", "é日😀", "\\u0041"}) {
        std::string spelled;
        append_json_string(spelled, text);
        EXPECT_EQ(decode_string(spelled), text);
    }
    EXPECT_EQ(decode_string("null"), std::nullopt);
}

}  // namespace

}  // namespace convene
