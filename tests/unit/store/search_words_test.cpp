// SPDX-License-Identifier: Apache-2.0
// What counts as a word in full-text search.
#include "store/search_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Words are runs of letters and digits, in lower case as far as ASCII goes.
// Proves: S1
TEST(SearchWords, AreRunsOfLettersAndDigits) {
    EXPECT_THAT(
        search_words("Order 66, e-mail it's (now)!"),
        ElementsAre("order", "66", "e", "mail", "it", "s", "now")
    );
    EXPECT_THAT(search_words(""), IsEmpty());
    EXPECT_THAT(search_words(" \t.,;"), IsEmpty());
    EXPECT_THAT(search_words("one"), ElementsAre("one"));
}

// Letters of any script count, signs and spaces of any script separate.
// Proves: R16
TEST(SearchWords, KnowOtherScripts) {
    EXPECT_THAT(search_words("Grüße—aus „Köln“"), ElementsAre("grüße", "aus", "köln"));
    EXPECT_THAT(search_words("こんにちは、世界。"), ElementsAre("こんにちは", "世界"));
    EXPECT_THAT(search_words("«Привет»\u00A0мир"), ElementsAre("Привет", "мир"));
    EXPECT_THAT(search_words("été ª µ º ½"), ElementsAre("été", "ª", "µ", "º"));
}

// Bytes that are not UTF-8 separate words and break nothing.
// Proves: R16
TEST(SearchWords, SurviveAnyBytes) {
    EXPECT_THAT(
        search_words("a\xff"
                     "b\xc3"),
        ElementsAre("a", "b")
    );
    EXPECT_THAT(search_words(std::string("a\0b", 3)), ElementsAre("a", "b"));
    EXPECT_THAT(search_words("\xed\xa0\x80"), IsEmpty());
}

}  // namespace

}  // namespace convene
