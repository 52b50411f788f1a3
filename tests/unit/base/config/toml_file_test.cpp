// SPDX-License-Identifier: Apache-2.0
// The configuration file: values as a user would type them, faults with their line.
#include "base/config/toml_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace convene {

namespace {

std::string text_of(const toml_entries& entries, std::string_view key) {
    const auto found = std::ranges::find(*entries, key, &toml_entry::key);
    return found == entries->end() ? "absent" : found->text + '@' + std::to_string(found->line);
}

// Proves: O5
TEST(TomlFile, ReadsTextsNumbersAndBooleans) {
    const toml_entries entries = parse_toml_entries(
        "# a comment\n"
        "db_url = \"sqlite:///a.db\"\n"
        "count = 12\n"
        "pause = 0.5\n"
        "on = true\n"
        "off = false\n"
    );
    ASSERT_TRUE(entries);
    EXPECT_EQ(entries->size(), 5U);
    EXPECT_EQ(text_of(entries, "db_url"), "sqlite:///a.db@2");
    EXPECT_EQ(text_of(entries, "count"), "12@3");
    EXPECT_EQ(text_of(entries, "pause"), "0.5@4");
    EXPECT_EQ(text_of(entries, "on"), "true@5");
    EXPECT_EQ(text_of(entries, "off"), "false@6");
}

TEST(TomlFile, ReadsAnEmptyFile) { EXPECT_TRUE(parse_toml_entries("")->empty()); }

// Proves: O5
TEST(TomlFile, RefusesWhatNoSettingCanBe) {
    for (const std::string_view document :
         {"a = 1\nb = [1]\n", "a = 1\n[b]\n", "a = 1\nb = 2026-01-31\n", "a = 1\nb = {c = 1}\n"}) {
        const toml_entries entries = parse_toml_entries(document);
        ASSERT_FALSE(entries) << document;
        EXPECT_EQ(entries.error().description, "b must be a string, a number or a boolean");
        EXPECT_EQ(entries.error().line, 2U);
    }
}

// Proves: O5
TEST(TomlFile, ReportsTheLineOfAFault) {
    for (const std::string_view document :
         {"a = 1\nb = \n", "a = 1\nb = \"x\n", "a = 1\na = 2\n", "a = 1\nb = \"\xFF\"\n"}) {
        const toml_entries entries = parse_toml_entries(document);
        ASSERT_FALSE(entries) << document;
        EXPECT_FALSE(entries.error().description.empty());
        EXPECT_EQ(entries.error().line, 2U) << document;
    }
}

// A number beyond all ranges is refused by its setting, not by a crash.
TEST(TomlFile, SurvivesExtremeNumbers) {
    EXPECT_EQ(text_of(parse_toml_entries("a = 1e300"), "a"), "huge@1");
    EXPECT_EQ(text_of(parse_toml_entries("a = inf"), "a"), "inf@1");
}

}  // namespace

}  // namespace convene
