// SPDX-License-Identifier: Apache-2.0
// Wall time as RFC 3339 text, both ways.
#include "convene/time.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

using namespace std::chrono_literals;

wall_time at(std::int64_t micros) { return wall_time{microseconds{micros}}; }

std::string normalised(std::string_view text) {
    const result<wall_time> t = parse_rfc3339(text);
    return t ? format_rfc3339(*t) : "refused";
}

TEST(FormatRfc3339, WritesMicrosecondsInUtc) {
    EXPECT_EQ(format_rfc3339(at(0)), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(format_rfc3339(at(1'769'850'300'000'007)), "2026-01-31T09:05:00.000007Z");
    EXPECT_EQ(format_rfc3339(at(-1)), "1969-12-31T23:59:59.999999Z");
}

// Four digits are all the format has: a clock beyond them is written as the nearest that can be.
TEST(FormatRfc3339, StaysWithinFourDigitYears) {
    EXPECT_EQ(format_rfc3339(wall_time::max()), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_rfc3339(wall_time::min()), "0000-01-01T00:00:00.000000Z");
}

TEST(ParseRfc3339, ReadsOffsetsAndFractions) {
    EXPECT_EQ(normalised("2026-01-31T09:05:00Z"), "2026-01-31T09:05:00.000000Z");
    EXPECT_EQ(normalised("2026-01-31t09:05:00z"), "2026-01-31T09:05:00.000000Z");
    EXPECT_EQ(normalised("2026-01-31T18:05:00+09:00"), "2026-01-31T09:05:00.000000Z");
    EXPECT_EQ(normalised("2026-01-31T00:00:00.5-05:30"), "2026-01-31T05:30:00.500000Z");
    EXPECT_EQ(normalised("2026-01-31T09:05:00-00:00"), "2026-01-31T09:05:00.000000Z");
    EXPECT_EQ(normalised("2024-02-29T12:00:00.123456Z"), "2024-02-29T12:00:00.123456Z");
}

// Finer fractions are cut, not rounded, so that no time comes out later than it was.
TEST(ParseRfc3339, CutsNanoseconds) {
    EXPECT_EQ(normalised("1970-01-01T00:00:00.999999999Z"), "1970-01-01T00:00:00.999999Z");
    EXPECT_EQ(normalised("1970-01-01T00:00:00.000000001Z"), "1970-01-01T00:00:00.000000Z");
}

// A leap second ends a UTC day in any offset, and nothing else.
TEST(ParseRfc3339, ReadsALeapSecondAsTheNextDay) {
    EXPECT_EQ(normalised("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00.000000Z");
    EXPECT_EQ(normalised("2017-01-01T08:59:60+09:00"), "2017-01-01T00:00:00.000000Z");
    EXPECT_EQ(normalised("2016-12-31T12:00:60Z"), "refused");
}

TEST(ParseRfc3339, RefusesEverythingElse) {
    for (const std::string_view text : {
             "",
             "2026",
             "2026-01-31",
             "2026-01-31T09:05Z",
             "2026-01-31T09:05:00",
             "2026-01-31 09:05:00Z",
             "2026-1-31T09:05:00Z",
             "2026-02-30T09:05:00Z",
             "2025-02-29T09:05:00Z",
             "2026-13-01T09:05:00Z",
             "2026-00-01T09:05:00Z",
             "2026-01-00T09:05:00Z",
             "2026-01-31T24:00:00Z",
             "2026-01-31T09:60:00Z",
             "2026-01-31T09:05:61Z",
             "2026-01-31T09:05:00.Z",
             "2026-01-31T09:05:00.1234567890Z",
             "2026-01-31T09:05:00+24:00",
             "2026-01-31T09:05:00+09:60",
             "2026-01-31T09:05:00+0900",
             "2026-01-31T09:05:00Zx",
             "+026-01-31T09:05:00Z",
             "0000-01-01T00:00:00+00:01",
             "9999-12-31T23:59:59-00:01",
         }) {
        EXPECT_EQ(normalised(text), "refused") << text;
    }
}

// What we write, we read, to the microsecond.
TEST(ParseRfc3339, ReadsWhatFormatWrites) {
    for (const std::int64_t micros :
         {0LL, 1LL, -1LL, 951'782'400'000'000LL, 4'102'444'799'999'999LL}) {
        const result<wall_time> t = parse_rfc3339(format_rfc3339(at(micros)));
        ASSERT_TRUE(t);
        EXPECT_EQ(*t, at(micros));
    }
}

TEST(SystemWallClock, TellsTheTime) {
    const auto before = std::chrono::floor<microseconds>(std::chrono::system_clock::now());
    const wall_time now = system_wall_clock().now();
    EXPECT_GE(now, before);
    EXPECT_LE(now, std::chrono::system_clock::now());
}

TEST(Deadline, PassesAtItsTimeAndNeverIsNever) {
    constexpr monotonic_time noon{100s};
    constexpr deadline at_noon{noon};
    EXPECT_FALSE(at_noon.has_passed(noon - 1ns));
    EXPECT_TRUE(at_noon.has_passed(noon));
    EXPECT_FALSE(deadline::never().has_passed(noon));
    EXPECT_EQ(at_noon.sooner(deadline::never()), at_noon);
    EXPECT_EQ(deadline::never().sooner(at_noon), at_noon);
}

}  // namespace

}  // namespace convene
