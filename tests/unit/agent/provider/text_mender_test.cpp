// SPDX-License-Identifier: Apache-2.0
// Texts in pieces: whole characters, whatever way the bytes are cut, and what is broken is repaired and counted.
#include "agent/provider/text_mender.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

struct mended {
    std::string text;
    repair_record repairs;
};

mended mend(std::string_view text, std::size_t piece) {
    text_mender mender;
    mended all;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string whole = mender.push(text.substr(at, piece));
        EXPECT_TRUE(check_text(whole, "piece").has_value());
        all.text += whole;
    }
    all.text += mender.finish();
    all.repairs = mender.repairs();
    return all;
}

// Characters that two or more pieces share come out whole.
// Proves: A8
TEST(TextMender, KeepsCharactersWholeHoweverTheyAreCut) {
    const std::string text = "a\u00e9\u4e16\U0001F469\u200D\U0001F680 end";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        const mended all = mend(text, piece);
        EXPECT_EQ(all.text, text) << piece;
        EXPECT_TRUE(all.repairs.empty()) << piece;
    }
}

// Halves of a UTF-16 pair, each as three bytes, are one character if they meet.
TEST(TextMender, JoinsHalvesOfAPair) {
    text_mender mender;
    EXPECT_EQ(mender.push("x\xED\xA0\xBD"), "x");
    EXPECT_EQ(mender.push("\xED\xB8\x80y"), "\U0001F600y");
    EXPECT_EQ(mender.push("\xED\xA0\xBD\xED\xB8\x80"), "\U0001F600");
    EXPECT_TRUE(mender.repairs().empty());
}

TEST(TextMender, RepairsAndCountsWhatIsBroken) {
    const std::string nul{'\0'};
    const mended all = mend("a" + nul + "b\xFF" + "c\xED\xB8\x80" + "d\xED\xA0\xBD" + "e", 100);
    EXPECT_EQ(all.text, "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe");
    EXPECT_EQ(all.repairs.nul_characters, 1U);
    EXPECT_EQ(all.repairs.invalid_utf8, 1U);
    EXPECT_EQ(all.repairs.lone_surrogates, 2U);
}

// What never became whole is not lost silently either.
TEST(TextMender, RepairsWhatIsCutOffAtTheEnd) {
    const mended half = mend("a\xF0\x9F\x98", 1);
    EXPECT_EQ(half.text, "a\uFFFD");
    EXPECT_EQ(half.repairs.invalid_utf8, 1U);
    const mended pair = mend("a\xED\xA0\xBD", 4);
    EXPECT_EQ(pair.text, "a\uFFFD");
    EXPECT_EQ(pair.repairs.lone_surrogates, 1U);
}

}  // namespace

}  // namespace convene
