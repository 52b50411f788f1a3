// SPDX-License-Identifier: Apache-2.0
// The hostile corpus against the boundary itself: every document gets the one answer it must get.
#include "support/hostile_corpus.hpp"

#include "convene/boundary.hpp"
#include "convene/content.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

template <class T>
std::optional<boundary_error> error_of(const checked<T>& answer) {
    return answer ? std::nullopt : std::optional{answer.error()};
}

std::optional<boundary_error> send(const hostile_document& document) {
    const std::string_view field = root_field(document.kind);
    switch (document.kind) {
        case hostile_kind::text:
            return error_of(check_text(document.bytes, field));
        case hostile_kind::id:
            return error_of(check_id(document.bytes, field));
        case hostile_kind::json:
            return error_of(parse_json_object(document.bytes, field));
        case hostile_kind::content:
            return error_of(parse_content(document.bytes, field));
    }
    return std::nullopt;
}

class hostile_corpus_test : public testing::TestWithParam<hostile_document> {};

// A caller's document is taken, or refused with the field and the reason; nothing in between.
// Proves: R16, R17
TEST_P(hostile_corpus_test, GetsItsOneAnswer) {
    const hostile_document& document = GetParam();
    const std::optional<boundary_error> error = send(document);
    const std::string_view reason = error ? word_of(error->reason) : "accepted";
    const std::string field = error ? error->field : "";
    EXPECT_EQ(reason, document.reason);
    EXPECT_EQ(field, document.field);
}

// A tool's output is never refused, whatever it is, and what was done to it is on record.
// Proves: R16
TEST_P(hostile_corpus_test, IsNeverLostAsOutputOfATool) {
    const hostile_document& document = GetParam();
    const cleaned_text text = clean_text(document.bytes);
    EXPECT_TRUE(check_text(text.text, "output"));
    EXPECT_EQ(text.repairs.empty(), text.text == document.bytes);

    const cleaned_json json = clean_json(document.bytes);
    const checked<json_text> again = parse_json(json.value.str(), "output");
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, json.value);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    hostile_corpus_test,
    testing::ValuesIn(hostile_corpus()),
    [](const testing::TestParamInfo<hostile_document>& info) {
        return std::string{info.param.name};
    }
);

// The corpus is a table that others drive too: names must tell documents apart.
TEST(HostileCorpus, HasUniqueNamesAndAtLeastSixtyDocuments) {
    std::set<std::string_view> names;
    for (const hostile_document& document : hostile_corpus()) {
        EXPECT_TRUE(names.insert(document.name).second) << document.name;
    }
    EXPECT_GE(names.size(), 60U);
}

}  // namespace

}  // namespace convene
