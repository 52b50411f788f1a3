// SPDX-License-Identifier: Apache-2.0
// UTF-8: every code point there and back, every fault with its length, cuts between code points.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

void expect_fault(std::string_view text, utf8_fault fault, std::size_t length) {
    const utf8_step step = read_utf8(text);
    EXPECT_EQ(step.fault, fault) << testing::PrintToString(text);
    EXPECT_EQ(step.length, length) << testing::PrintToString(text);
}

// All 1,112,064 scalar values of Unicode.
TEST(Utf8, ReadsEveryCodePointItWrites) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (is_surrogate(c)) {
            continue;
        }
        std::string text;
        append_utf8(text, c);
        const utf8_step step = read_utf8(text + "x");
        ASSERT_EQ(step.fault, utf8_fault::none) << static_cast<unsigned>(c);
        ASSERT_EQ(step.code_point, c);
        ASSERT_EQ(step.length, text.size());
    }
}

// One replacement stands for a maximal subpart, as the Unicode standard recommends (table 3-8).
TEST(Utf8, MeasuresMalformedSequences) {
    expect_fault("\x80", utf8_fault::malformed, 1);
    expect_fault("\xC0\x80", utf8_fault::malformed, 1);
    expect_fault("\xC1\xBF", utf8_fault::malformed, 1);
    expect_fault("\xC3", utf8_fault::malformed, 1);
    expect_fault("\xC3x", utf8_fault::malformed, 1);
    expect_fault("\xE0\x80\x80", utf8_fault::malformed, 1);
    expect_fault("\xE1\x80", utf8_fault::malformed, 2);
    expect_fault("\xE1\x80x", utf8_fault::malformed, 2);
    expect_fault("\xF0\x80\x80\x80", utf8_fault::malformed, 1);
    expect_fault("\xF0\x90\x80", utf8_fault::malformed, 3);
    expect_fault("\xF0\x90\x80\xC0", utf8_fault::malformed, 3);
    expect_fault("\xF4\x90\x80\x80", utf8_fault::malformed, 1);
    expect_fault("\xF5\x80\x80\x80", utf8_fault::malformed, 1);
    expect_fault("\xFF", utf8_fault::malformed, 1);
}

// Half a pair is told apart from broken bytes, and is one fault, not three.
TEST(Utf8, RecognisesEncodedSurrogates) {
    expect_fault("\xED\xA0\x80", utf8_fault::surrogate, 3);
    expect_fault("\xED\xBF\xBF", utf8_fault::surrogate, 3);
    expect_fault("\xED\xA0", utf8_fault::malformed, 1);
    expect_fault("\xED\xA0x", utf8_fault::malformed, 1);
}

// Every number of bytes at which "aé日😀" can be cut.
TEST(Utf8, CutsBetweenCodePoints) {
    const std::string_view text = "aé日😀";
    const std::string_view expected[] = {
        "", "a", "a", "aé", "aé", "aé", "aé日", "aé日", "aé日", "aé日", "aé日😀", "aé日😀"
    };
    for (std::size_t max = 0; max < std::size(expected); ++max) {
        EXPECT_EQ(utf8_prefix(text, max), expected[max]) << max;
    }
}

TEST(Utf8, CountsCodePoints) {
    EXPECT_EQ(count_code_points(""), 0U);
    EXPECT_EQ(count_code_points("aé日😀"), 4U);
    EXPECT_EQ(first_code_points("aé日😀", 0), "");
    EXPECT_EQ(first_code_points("aé日😀", 2), "aé");
    EXPECT_EQ(first_code_points("aé日😀", 4), "aé日😀");
    EXPECT_EQ(first_code_points("aé日😀", 9), "aé日😀");
}

}  // namespace

}  // namespace convene
