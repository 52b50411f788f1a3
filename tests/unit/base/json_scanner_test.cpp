// SPDX-License-Identifier: Apache-2.0
// The JSON gate: the canonical spelling, and agreement with Boost.JSON about what JSON is.
#include "base/json_scanner.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "support/hostile_corpus.hpp"

namespace convene {

namespace {

std::string canonical(std::string_view text) {
    const checked<scanned_json> scanned = scan_json(text, "value", {}, text_policy::reject);
    return scanned ? scanned->canonical : std::string{word_of(scanned.error().reason)};
}

boost::json::value by_boost(std::string_view text, error_code& error) {
    boost::json::parse_options options;
    options.max_depth = 64;
    return boost::json::parse({text.data(), text.size()}, error, {}, options);
}

TEST(JsonScanner, DropsSpaceAndKeepsTheOrderOfKeys) {
    EXPECT_EQ(
        canonical(" { \"b\" : [ 1 , { } , [ ] ] ,\n\"a\" : null\t} "), R"({"b":[1,{},[]],"a":null})"
    );
}

// Numbers are data: 1.50 is a price, and a long id must not lose its last digits.
TEST(JsonScanner, KeepsNumbersAsTheyAreSpelled) {
    for (const std::string_view number :
         {"0", "-0", "1.50", "1E5", "1e+05", "0.10e-3", "12345678901234567890123", "1e308"}) {
        EXPECT_EQ(canonical(number), number);
    }
}

// One text has one spelling, whatever escapes it came with.
TEST(JsonScanner, EscapesOnlyWhatMustBeEscaped) {
    EXPECT_EQ(canonical(R"("\/\u0041\u00e9\u65e5\ud83d\ude00\u007f")"), "\"/Aé日😀\x7F\"");
    EXPECT_EQ(canonical(R"("\u0022\u005C\u0008\u000c\u000A\u000d\u0009")"), R"("\"\\\b\f\n\r\t")");
    EXPECT_EQ(canonical(R"("\u0001\u001F")"), R"("\u0001\u001f")");
    EXPECT_EQ(canonical("\"\u2028\""), "\"\u2028\"");
}

TEST(JsonScanner, ReadsEveryKindOfValueAtTheTop) {
    for (const std::string_view text : {"true", "false", "null", "1", "\"x\"", "[]", "{}"}) {
        EXPECT_EQ(canonical(text), text);
    }
}

// Keys are compared as text: the shorter one being a prefix makes no duplicate.
TEST(JsonScanner, FindsDuplicatesByWholeKeys) {
    EXPECT_EQ(canonical(R"({"a":1,"ab":2,"":3})"), R"({"a":1,"ab":2,"":3})");
    EXPECT_EQ(canonical(R"({"":1,"":2})"), "duplicate_key");
    EXPECT_EQ(canonical(R"({"\"":1,"\u0022":2})"), "duplicate_key");
}

TEST(JsonScanner, BoundsTheLengthOfANumber) {
    EXPECT_EQ(canonical("1." + std::string(126, '0')), "1." + std::string(126, '0'));
    EXPECT_EQ(canonical("1." + std::string(127, '0')), "out_of_range");
}

// A path repeats no more of a hostile key than is needed to recognise it.
TEST(JsonScanner, ShortensKeysInPaths) {
    const std::string key(1000, 'k');
    const auto scanned = scan_json("{\"" + key + "\":1e999}", "data", {}, text_policy::reject);
    ASSERT_FALSE(scanned);
    EXPECT_EQ(scanned.error().field, "data[\"" + std::string(64, 'k') + "\"]");
}

// Without a field the path starts with the first key.
TEST(JsonScanner, StartsThePathWithTheField) {
    const auto scanned = scan_json(R"({"a":{"b":nope}})", "", {}, text_policy::reject);
    ASSERT_FALSE(scanned);
    EXPECT_EQ(scanned.error().field, "a.b");
}

// The gate is the stricter one: what it lets through, Boost.JSON reads, and reads the same.
void expect_agreement(const std::string& text) {
    const checked<scanned_json> ours = scan_json(text, "value", {}, text_policy::reject);
    error_code refused;
    const boost::json::value theirs = by_boost(text, refused);
    if (ours) {
        ASSERT_FALSE(refused) << text;
        error_code again;
        EXPECT_EQ(by_boost(ours->canonical, again), theirs) << text;
        EXPECT_EQ(canonical(ours->canonical), ours->canonical) << text;
    } else if (ours.error().reason == boundary_reason::not_json) {
        EXPECT_TRUE(refused) << text;
    }
}

TEST(JsonScanner, AgreesWithBoostOnTheCorpus) {
    for (const hostile_document& document : hostile_corpus()) {
        if (document.bytes.size() < 10'000) {
            expect_agreement(document.bytes);
        }
    }
}

// Small random changes to good documents find what nobody thinks of.
TEST(JsonScanner, AgreesWithBoostOnDamagedDocuments) {
    constexpr std::string_view pieces[] = {"{",    "}",    "[",    "]",    ",",      ":",
                                           "\"",   "\\",   "\\u",  "d800", "0",      "1",
                                           "-",    ".",    "e",    "E",    "+",      " ",
                                           "\n",   "true", "null", "a",    "\"k\":", "\xC3\xA9",
                                           "\xFF", "\\n",  "/"};
    std::mt19937 random{20260131};
    const auto below = [&](std::size_t bound) { return random() % bound; };
    for (int round = 0; round < 20'000; ++round) {
        std::string text = R"({"k":[1.5e2,"x\n\u00e9",{"a":true}],"é":-0,"n":null})";
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            const std::size_t at = below(text.size());
            text.replace(at, below(3), pieces[below(std::size(pieces))]);
        }
        expect_agreement(text);
    }
}

}  // namespace

}  // namespace convene
