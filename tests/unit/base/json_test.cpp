// SPDX-License-Identifier: Apache-2.0
// Reading requests: fields by name, errors that name the field.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

json_document parsed(std::string_view text) { return json_document::parse(text, "").value(); }

template <class T>
std::string fault_of(const checked<T>& answer) {
    if (answer) {
        return "none";
    }
    return answer.error().field + ' ' + std::string{word_of(answer.error().reason)};
}

class object_reader_test : public testing::Test {
   protected:
    json_document document_ = parsed(
        R"({"name":"Ann","id":"r-1","bad_id":"a\nb","count":3,"big":9223372036854775808,"huge":1e30,)"
        R"("ratio":0.5,"on":true,"nothing":null})"
    );
    object_reader fields_ = document_.object().value();
};

TEST_F(object_reader_test, ReadsRequiredFields) {
    EXPECT_EQ(fields_.text("name").value(), "Ann");
    EXPECT_EQ(fields_.id("id").value(), "r-1");
    EXPECT_EQ(fault_of(fields_.text("absent")), "absent missing_field");
    EXPECT_EQ(fault_of(fields_.text("nothing")), "nothing missing_field");
    EXPECT_EQ(fault_of(fields_.text("count")), "count wrong_type");
    EXPECT_EQ(fault_of(fields_.id("bad_id")), "bad_id control_character");
}

// `null` is how many serialisers write "left out".
TEST_F(object_reader_test, ReadsOptionalFields) {
    EXPECT_EQ(fields_.optional_text("name").value(), "Ann");
    EXPECT_EQ(fields_.optional_text("absent").value(), std::nullopt);
    EXPECT_EQ(fields_.optional_text("nothing").value(), std::nullopt);
    EXPECT_EQ(fields_.optional_id("id").value(), "r-1");
    EXPECT_EQ(fault_of(fields_.optional_id("bad_id")), "bad_id control_character");
    EXPECT_EQ(fields_.optional_boolean("on").value(), true);
    EXPECT_EQ(fault_of(fields_.optional_boolean("name")), "name wrong_type");
}

TEST_F(object_reader_test, ReadsIntegersInTheirRange) {
    EXPECT_EQ(fields_.optional_integer("count", {0, 3}).value(), 3);
    EXPECT_EQ(fields_.optional_integer("absent", {0, 3}).value(), std::nullopt);
    EXPECT_EQ(fault_of(fields_.optional_integer("count", {0, 2})), "count out_of_range");
    EXPECT_EQ(fault_of(fields_.optional_integer("count", {4, 9})), "count out_of_range");
    EXPECT_EQ(fault_of(fields_.optional_integer("big", {0, 9})), "big out_of_range");
    EXPECT_EQ(fault_of(fields_.optional_integer("huge", {0, 9})), "huge out_of_range");
    EXPECT_EQ(fault_of(fields_.optional_integer("ratio", {0, 9})), "ratio wrong_type");
    EXPECT_EQ(fault_of(fields_.optional_integer("on", {0, 9})), "on wrong_type");
}

// A mistyped field is an error, not a setting that silently does nothing.
TEST(ObjectReader, RefusesUnknownFields) {
    const json_document document = json_document::parse(R"({"a":1,"c":2})", "request").value();
    const object_reader fields = document.object().value();
    EXPECT_TRUE(fields.only({"a", "b", "c"}));
    EXPECT_EQ(fault_of(fields.only({"a", "b"})), "request.c unknown_field");
}

// Parts are handed on as text, with their numbers as they came.
TEST(JsonDocument, GivesMembersAsCanonicalText) {
    const json_document document = parsed(R"({"content": {"x": 1.50}, "nothing": null})");
    EXPECT_EQ(document.member("content"), R"({"x":1.50})");
    EXPECT_EQ(document.member("nothing"), std::nullopt);
    EXPECT_EQ(document.member("absent"), std::nullopt);
    EXPECT_EQ(document.text().str(), R"({"content":{"x":1.50},"nothing":null})");
    EXPECT_EQ(parsed("[1]").member("a"), std::nullopt);
}

// Proves: R16
TEST(JsonDocument, RefusesByField) {
    EXPECT_EQ(fault_of(json_document::parse("{", "body")), "body not_json");
    const json_document array = json_document::parse("[]", "body").value();
    EXPECT_EQ(fault_of(array.object()), "body wrong_type");
}

// What another version stored may be nested deeper than what is let in today.
// Proves: R16
TEST(JsonDocument, ReadsWhatIsNestedWithoutALimit) {
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    EXPECT_TRUE(json_document::parse(deep, "stored", boundary_limits::of_stored_json()));
    EXPECT_EQ(json_document::parse(deep, "sent").error().reason, boundary_reason::too_deep);
}

TEST(ReadNumber, TakesAnyNumberInRange) {
    const json_document document = parsed("[1,18446744073709551615,-0.5,true]");
    const auto& numbers = document.root().get_array();
    EXPECT_EQ(read_number(numbers[0], "n", {0, 1}).value(), 1.0);
    EXPECT_EQ(read_number(numbers[1], "n", {0, 1e20}).value(), 18446744073709551615.0);
    EXPECT_EQ(fault_of(read_number(numbers[2], "n", {0, 1})), "n out_of_range");
    EXPECT_EQ(fault_of(read_number(numbers[3], "n", {0, 1})), "n wrong_type");
}

}  // namespace

}  // namespace convene
