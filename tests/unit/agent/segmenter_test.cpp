// SPDX-License-Identifier: Apache-2.0
// Segments of a stream: where they are cut, when, and that nothing is lost.
#include "agent/segmenter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr monotonic_time start{std::chrono::hours{1}};

constexpr segmenter_limits small{20, 40, 80, 2s};

std::vector<std::string> ready(segmenter& from, monotonic_time now = start) {
    std::vector<std::string> all;
    while (auto next = from.next(now)) {
        all.push_back(*next);
    }
    return all;
}

std::vector<std::string> cut(std::string_view text, segmenter_limits limits = small) {
    segmenter cutting{limits};
    cutting.add(text, start);
    std::vector<std::string> all = ready(cutting);
    if (auto rest = cutting.finish()) {
        all.push_back(*rest);
    }
    return all;
}

// A paragraph that is long enough is a segment; one that is short waits for the next.
// Proves: D6
TEST(Segmenter, CutsBehindParagraphs) {
    EXPECT_THAT(
        cut("The first paragraph.\n\nThe second paragraph.\n\n"),
        ElementsAre("The first paragraph.\n\nThe second paragraph.")
    );
    segmenter cutting{small};
    cutting.add("The first paragraph.\n\nThe", start);
    EXPECT_THAT(ready(cutting), ElementsAre("The first paragraph."));
    cutting.add(" second.\n\nA", start);
    EXPECT_THAT(ready(cutting), IsEmpty());
    EXPECT_EQ(cutting.finish(), "The second.\n\nA");
    EXPECT_EQ(cutting.finish(), std::nullopt);
}

// A long paragraph is cut behind a sentence, and not within a number.
// Proves: D6
TEST(Segmenter, CutsLongParagraphsBehindSentences) {
    EXPECT_THAT(
        cut("It costs 3.50 in all. Is that too much for you, or not"),
        ElementsAre("It costs 3.50 in all.", "Is that too much for you, or not")
    );
    EXPECT_THAT(
        cut("これは最初の文です。次の文がここから始まります"),
        ElementsAre("これは最初の文です。", "次の文がここから始まります")
    );
}

// What has waited long is told with its last whole sentence, however short.
// Proves: D6
TEST(Segmenter, LosesPatience) {
    segmenter cutting{small};
    cutting.add("Wait. I am", start);
    EXPECT_THAT(ready(cutting, start + 1s), IsEmpty());
    EXPECT_THAT(ready(cutting, start + 2s), ElementsAre("Wait."));
    EXPECT_THAT(ready(cutting, start + 3s), IsEmpty());
    EXPECT_EQ(cutting.finish(), "I am");
}

// It tells when it will lose patience: never while there is no whole sentence, and from the last cut on.
// Proves: D6
TEST(Segmenter, TellsWhenItLosesPatience) {
    segmenter cutting{small};
    cutting.add("I am", start);
    EXPECT_EQ(cutting.late_at(), std::nullopt);
    cutting.add(" here. And", start + 1s);
    EXPECT_EQ(cutting.late_at(), start + 2s);
    EXPECT_THAT(ready(cutting, start + 2s), ElementsAre("I am here."));
    EXPECT_EQ(cutting.late_at(), std::nullopt);
    cutting.add(" so on. ", start + 3s);
    EXPECT_EQ(cutting.late_at(), start + 4s);
}

// A block of code stays whole until it is larger than a segment may be; then lines stay whole.
// Proves: D6
TEST(Segmenter, KeepsCodeTogether) {
    EXPECT_THAT(
        cut("Look at this one:\n\n```cpp\nint a;\n\nint b; // a. b\n```\nThat is all of it. Is"),
        ElementsAre(
            "Look at this one:\n\n```cpp\nint a;\n\nint b; // a. b\n```", "That is all of it. Is"
        )
    );
    const std::string line = "0123456789 012345678\n";
    const std::vector<std::string> large = cut(
        "```\n" + line + line + line + line + line + "```\nEnd."
    );
    EXPECT_THAT(
        large,
        ElementsAre(
            "```\n" + line + line + "0123456789 012345678",
            line + "0123456789 012345678\n```",
            "End."
        )
    );
}

// Whatever comes in whichever pieces: segments are bounded, never empty, never cut a character, and put together
// they are the text.
// Proves: D6, R16
TEST(Segmenter, LosesNothing) {
    EXPECT_TRUE(rc::check([] {
        const auto words = *rc::gen::container<std::vector<std::string>>(
            rc::gen::element<std::string>(
                "a", "word ", "end. ", "\n", "\n\n", "```\n", "日本", "。", "😀", "  ", "0123456789"
            )
        );
        segmenter cutting{small};
        std::string given;
        std::string got;
        const auto without_blanks = [](std::string_view text) {
            std::string left;
            for (const char c : text) {
                if (c != ' ' && c != '\n') {
                    left += c;
                }
            }
            return left;
        };
        const auto take = [&](const std::string& segment) {
            RC_ASSERT(!segment.empty());
            RC_ASSERT(segment.size() <= small.most_bytes);
            RC_ASSERT(clean_length(segment) == segment.size());
            got += segment;
        };
        monotonic_time now = start;
        for (const std::string& word : words) {
            given += word;
            now += std::chrono::milliseconds{*rc::gen::inRange(0, 500)};
            cutting.add(word, now);
            for (const std::string& segment : ready(cutting, now)) {
                take(segment);
            }
        }
        if (const auto rest = cutting.finish()) {
            take(*rest);
        }
        RC_ASSERT(without_blanks(got) == without_blanks(given));
    }));
}

}  // namespace
}  // namespace convene
