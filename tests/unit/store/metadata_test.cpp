// SPDX-License-Identifier: Apache-2.0
// Merging metadata: members keep their place and their spelling.
#include "store/metadata.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {

namespace {

std::string merged(
    std::string base, std::string patch, const std::vector<std::string>& unset = {}
) {
    const auto result = merge_keys(
        json_text::trusted(std::move(base)), json_text::trusted(std::move(patch)), unset
    );
    return result ? result->str() : "refused";
}

// A member that exists changes in its place; new ones follow in the order of the patch.
// Proves: S1
TEST(MergeKeys, KeepsTheOrderOfMembers) {
    EXPECT_EQ(merged(R"({"a":1,"b":2})", R"({"d":5,"a":3,"c":4})"), R"({"a":3,"b":2,"d":5,"c":4})");
    EXPECT_EQ(merged("{}", "{}"), "{}");
    EXPECT_EQ(merged(R"({"a":1})", "{}"), R"({"a":1})");
    EXPECT_EQ(merged("{}", R"({"a":1})"), R"({"a":1})");
}

// Values are replaced whole and never respelled, whatever brackets, commas and quotes they hold.
// Proves: S1, R16
TEST(MergeKeys, LeavesValuesAsTheyAreSpelled) {
    EXPECT_EQ(
        merged(R"({"n":1.50e3,"s":"},\"{[","l":[{"x":[1,{}]},"]"]})", R"({"o":{"k":"\\"}})"),
        R"({"n":1.50e3,"s":"},\"{[","l":[{"x":[1,{}]},"]"],"o":{"k":"\\"}})"
    );
    EXPECT_EQ(merged(R"({"o":{"deep":1}})", R"({"o":{"other":2}})"), R"({"o":{"other":2}})");
    EXPECT_EQ(merged(R"({"a":1})", R"({"a":null})"), R"({"a":null})");
}

// Keys that are unset go first, so that a patch may set them anew; unknown ones are no mistake.
// Proves: S1
TEST(MergeKeys, UnsetsBeforeItSets) {
    EXPECT_EQ(merged(R"({"a":1,"b":2})", "{}", {"a", "z"}), R"({"b":2})");
    EXPECT_EQ(merged(R"({"a":1,"b":2})", R"({"a":3})", {"a"}), R"({"b":2,"a":3})");
    EXPECT_EQ(merged(R"({"a":1})", "{}", {"a"}), "{}");
}

// Keys with quotes, backslashes, control characters and any script are the keys they are.
// Proves: R16
TEST(MergeKeys, ComparesKeysAsTheyAreMeant) {
    EXPECT_EQ(merged(R"({"a\"b":1,"c\\":2})", R"({"c\\":3})", {"a\"b"}), R"({"c\\":3})");
    EXPECT_EQ(merged(R"({"tab\t":1,"Ключ":2})", "{}", {"tab\t", "Ключ"}), "{}");
    EXPECT_EQ(merged(R"({"":1,"a":2})", R"({"":3})"), R"({"":3,"a":2})");
}

// Only objects can be merged.
// Proves: R16
TEST(MergeKeys, RefusesWhatIsNoObject) {
    for (const char* const value : {"[1]", "1", "\"{}\"", "null"}) {
        EXPECT_EQ(merged("{}", value), "refused");
        EXPECT_EQ(merged(value, "{}"), "refused");
    }
}

}  // namespace

}  // namespace convene
