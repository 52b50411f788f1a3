// SPDX-License-Identifier: Apache-2.0
// The text boundary: what the corpus does not show, above all what repairs leave behind.
#include "base/text_boundary.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/documentation.hpp"

namespace convene {

namespace {

using namespace std::string_literals;

constexpr std::string_view replaced = "\uFFFD";

boundary_limits text_limit(std::size_t bytes) {
    boundary_limits limits;
    limits.max_text_bytes = bytes;
    return limits;
}

// A caller learns the field it used, whatever its name is.
// Proves: R16
TEST(CheckText, NamesTheFieldItWasGiven) {
    const checked<> answer = check_text("\xFF", "participants[3].display_name");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().field, "participants[3].display_name");
    EXPECT_EQ(answer.error().code(), make_error_code(errc::invalid_argument));
}

TEST(CheckText, MeasuresBytes) {
    EXPECT_TRUE(check_text("日本", "body", text_limit(6)));
    EXPECT_FALSE(check_text("日本", "body", text_limit(5)));
}

// What is stored in place of damage, and how it is counted.
// Proves: R16
TEST(CleanText, ReplacesAndCountsEachKindOfDamage) {
    const cleaned_text cleaned = clean_text("a\0b\xFF\xC3 \xED\xA0\x80"s);
    EXPECT_EQ(cleaned.text, "a\uFFFDb\uFFFD\uFFFD \uFFFD");
    EXPECT_EQ(
        cleaned.repairs,
        (repair_record{.invalid_utf8 = 2, .lone_surrogates = 1, .nul_characters = 1})
    );
}

// Clean output is stored as it is, without a record.
// Proves: R16
TEST(CleanText, LeavesCleanTextAlone) {
    const std::string text = "line one\n\tline two \x1B[0m 👩‍👩‍👧";
    const cleaned_text cleaned = clean_text(text);
    EXPECT_EQ(cleaned.text, text);
    EXPECT_TRUE(cleaned.repairs.empty());
}

// Too long output is cut between code points, and the record says how much is missing.
// Proves: R16
TEST(CleanText, CutsAndRecordsWhatIsMissing) {
    const cleaned_text cleaned = clean_text("日本語", text_limit(7));
    EXPECT_EQ(cleaned.text, "日本");
    EXPECT_EQ(cleaned.repairs, repair_record{.dropped_bytes = 3});
}

// Replacements are longer than what they replace: the limit holds for what is stored.
TEST(CleanText, HoldsTheLimitWhileReplacing) {
    const cleaned_text cleaned = clean_text(std::string(10, '\xFF'), text_limit(10));
    EXPECT_EQ(cleaned.text, std::string{replaced} + std::string{replaced} + std::string{replaced});
    EXPECT_EQ(cleaned.repairs, (repair_record{.invalid_utf8 = 3, .dropped_bytes = 7}));
}

// Proves: R16
TEST(CleanJson, RepairsStringsAndKeepsTheRest) {
    const cleaned_json cleaned = clean_json(R"({"a":"x\ud800y","b\u0000":[1.50,"\udfff"]})");
    EXPECT_EQ(cleaned.value.str(), "{\"a\":\"x\uFFFDy\",\"b\uFFFD\":[1.50,\"\uFFFD\"]}");
    EXPECT_EQ(cleaned.repairs, (repair_record{.lone_surrogates = 2, .nul_characters = 1}));
}

// A high surrogate before another escape does not swallow it.
TEST(CleanJson, ReplacesOnlyTheHalfPair) {
    EXPECT_EQ(clean_json(R"("\ud83d\u0041")").value.str(), "\"\uFFFDA\"");
    EXPECT_EQ(clean_json(R"("\ud83d\ud83d\ude00")").value.str(), "\"\uFFFD😀\"");
}

// Output that is no JSON by our rules is kept whole as text, with the reason.
// Proves: R16
TEST(CleanJson, KeepsAsTextWhatIsNotJson) {
    const cleaned_json cleaned = clean_json("Error: \"x\" \xFF");
    EXPECT_EQ(cleaned.value.str(), "\"Error: \\\"x\\\" \uFFFD\"");
    EXPECT_EQ(cleaned.repairs.kept_as_text, boundary_reason::not_json);
    EXPECT_EQ(cleaned.repairs.invalid_utf8, 1U);
}

// Keys that repairs made equal are not merged: that would lose one of the values.
// Proves: R16
TEST(CleanJson, KeepsAsTextWhatRepairsMadeAmbiguous) {
    const cleaned_json cleaned = clean_json(R"({"\ud800":1,"\ud801":2})");
    EXPECT_EQ(cleaned.value.str(), R"("{\"\\ud800\":1,\"\\ud801\":2}")");
    EXPECT_EQ(cleaned.repairs, repair_record{.kept_as_text = boundary_reason::duplicate_key});
}

// Proves: R16
TEST(DescribeRepairs, WritesTheExampleOfItsPage) {
    const repair_record everything{
        .invalid_utf8 = 1,
        .lone_surrogates = 2,
        .nul_characters = 3,
        .dropped_bytes = 4096,
        .kept_as_text = boundary_reason::too_deep,
    };
    EXPECT_EQ(
        json_examples("formats/text-boundary.md"),
        std::vector<std::string>{describe_repairs(everything).str()}
    );
}

TEST(DescribeRepairs, LeavesOutWhatDidNotHappen) {
    EXPECT_EQ(describe_repairs({}).str(), "{}");
    EXPECT_EQ(
        describe_repairs({.invalid_utf8 = 1, .dropped_bytes = 30}).str(),
        R"({"invalid_utf8":1,"dropped_bytes":30})"
    );
}

TEST(RepairRecord, SumsAndKeepsTheFirstReason) {
    repair_record sum{.invalid_utf8 = 1, .kept_as_text = boundary_reason::not_json};
    sum += {
        .invalid_utf8 = 2,
        .lone_surrogates = 3,
        .nul_characters = 4,
        .dropped_bytes = 5,
        .kept_as_text = boundary_reason::too_deep,
    };
    EXPECT_EQ(
        sum,
        (repair_record{
            .invalid_utf8 = 3,
            .lone_surrogates = 3,
            .nul_characters = 4,
            .dropped_bytes = 5,
            .kept_as_text = boundary_reason::not_json,
        })
    );
}

// Clients translate the words: they are frozen.
TEST(BoundaryReason, HasAFrozenWordForEachNumber) {
    const std::string_view words[] = {
        "unknown_reason",    "invalid_utf8",    "nul_character",    "lone_surrogate",
        "control_character", "empty",           "too_long",         "too_deep",
        "too_many",          "not_json",        "duplicate_key",    "wrong_type",
        "missing_field",     "unknown_field",   "unknown_value",    "out_of_range",
        "malformed",         "unsupported_url", "not_allowed_here", "too_short",
        "unknown_reason",
    };
    for (std::size_t number = 0; number < std::size(words); ++number) {
        EXPECT_EQ(word_of(static_cast<boundary_reason>(number)), words[number]);
    }
}

// Who asks for a value that is not there gets an exception that says where and why.
TEST(Checked, ThrowsWithFieldAndReason) {
    const checked<> answer = check_id("", "room_id");
    try {
        answer.value();
        FAIL() << "did not throw";
    } catch (const boost::system::system_error& error) {
        EXPECT_EQ(error.code(), make_error_code(errc::invalid_argument));
        EXPECT_NE(std::string{error.what()}.find("room_id: empty"), std::string::npos);
    }
}

}  // namespace

}  // namespace convene
