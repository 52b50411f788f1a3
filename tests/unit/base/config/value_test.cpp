// SPDX-License-Identifier: Apache-2.0
// Values of settings: every kind read, refused, described and shown.
#include "base/config/value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view colours[] = {"red", "green", "blue"};
constexpr text_form short_text{[](std::string_view text) { return text.size() < 5; }, "short text"};

constexpr setting count{
    .name = "COUNT",
    .flag = "--count",
    .kind = setting_kind::integer,
    .default_value = "4",
    .help = "",
    .min = -1,
    .max = 10,
};
constexpr setting pause{
    .name = "PAUSE",
    .flag = "--pause",
    .kind = setting_kind::duration,
    .default_value = "30",
    .help = "",
    .min = 100,
    .max = 3'600'000,
};
constexpr setting enabled{
    .name = "ENABLED",
    .flag = "--enabled",
    .kind = setting_kind::boolean,
    .default_value = "true",
    .help = "",
};
constexpr setting colour{
    .name = "COLOUR",
    .flag = "--colour",
    .kind = setting_kind::enumeration,
    .default_value = "red",
    .help = "",
    .words = colours,
};
constexpr setting label{
    .name = "LABEL",
    .flag = "--label",
    .kind = setting_kind::string,
    .default_value = "x",
    .help = "",
    .form = &short_text,
};
constexpr setting token{
    .name = "TOKEN",
    .flag = "--token",
    .kind = setting_kind::secret,
    .default_value = "",
    .help = "",
};

std::optional<setting_value> read(const setting& what, std::string_view text) {
    return parse_setting(what, text);
}

// Proves: O5
TEST(SettingValue, ReadsIntegersInRange) {
    EXPECT_EQ(read(count, "-1"), setting_value{std::int64_t{-1}});
    EXPECT_EQ(read(count, "10"), setting_value{std::int64_t{10}});
    for (const std::string_view text :
         {"11", "-2", "", "1.0", "+1", " 1", "1x", "0x1", "99999999999999999999"}) {
        EXPECT_EQ(read(count, text), std::nullopt) << text;
    }
}

// Proves: O5
TEST(SettingValue, ReadsDurationsInRange) {
    EXPECT_EQ(read(pause, "30"), setting_value{milliseconds{30s}});
    EXPECT_EQ(read(pause, "0.5"), setting_value{500ms});
    EXPECT_EQ(read(pause, "1.125"), setting_value{1125ms});
    EXPECT_EQ(read(pause, "100ms"), setting_value{100ms});
    EXPECT_EQ(read(pause, "90s"), setting_value{milliseconds{90s}});
    EXPECT_EQ(read(pause, "1.5m"), setting_value{milliseconds{90s}});
    EXPECT_EQ(read(pause, "1h"), setting_value{milliseconds{1h}});
    for (const std::string_view text :
         {"",
          "99ms",
          "61m",
          "-1",
          "1 s",
          "1d",
          "s",
          ".",
          ".5",
          "1.",
          "1.2.3",
          "0.1234",
          "100.5ms",
          "1e2",
          "99999999999999999999h",
          "inf"}) {
        EXPECT_EQ(read(pause, text), std::nullopt) << text;
    }
}

// Proves: O5
TEST(SettingValue, ReadsBooleansAndWordsExactly) {
    EXPECT_EQ(read(enabled, "true"), setting_value{true});
    EXPECT_EQ(read(enabled, "false"), setting_value{false});
    EXPECT_EQ(read(enabled, "yes"), std::nullopt);
    EXPECT_EQ(read(enabled, "True"), std::nullopt);
    EXPECT_EQ(read(colour, "green"), setting_value{std::string{"green"}});
    EXPECT_EQ(read(colour, "Green"), std::nullopt);
}

// Configuration comes from outside too: it passes the text boundary.
// Proves: O5, R16
TEST(SettingValue, ReadsTextsOfTheirForm) {
    EXPECT_EQ(read(label, "abcd"), setting_value{std::string{"abcd"}});
    EXPECT_EQ(read(label, "abcde"), std::nullopt);
    EXPECT_EQ(read(label, "\xFF"), std::nullopt);
    EXPECT_EQ(read(token, std::string_view{"a\0b", 3}), std::nullopt);
}

// Proves: O5
TEST(SettingValue, DescribesWhatIsAllowed) {
    EXPECT_EQ(describe_allowed(count), "an integer from -1 to 10");
    EXPECT_EQ(
        describe_allowed(pause), "a duration from 100ms to 1h, such as 30 (seconds), 500ms or 2m"
    );
    EXPECT_EQ(describe_allowed(enabled), "true or false");
    EXPECT_EQ(describe_allowed(colour), "red, green or blue");
    EXPECT_EQ(describe_allowed(label), "short text");
    EXPECT_EQ(describe_allowed(token), "text in UTF-8");
}

// Proves: O5
TEST(SettingValue, ShowsEverythingButSecrets) {
    EXPECT_EQ(show_setting(count, *read(count, "7")), "7");
    EXPECT_EQ(show_setting(pause, *read(pause, "90")), "90s");
    EXPECT_EQ(show_setting(enabled, *read(enabled, "false")), "false");
    EXPECT_EQ(show_setting(label, *read(label, "abc")), "abc");
    EXPECT_EQ(show_setting(token, *read(token, "s3cret")), "***");
}

TEST(FormatDuration, UsesTheLargestWholeUnit) {
    EXPECT_EQ(format_duration(0ms), "0s");
    EXPECT_EQ(format_duration(1500ms), "1500ms");
    EXPECT_EQ(format_duration(30s), "30s");
    EXPECT_EQ(format_duration(120s), "2m");
    EXPECT_EQ(format_duration(2h), "2h");
}

}  // namespace

}  // namespace convene
