// SPDX-License-Identifier: Apache-2.0
// Writing JSON: separators, escapes, numbers; whatever goes in, JSON comes out.
#include "base/json_writer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace convene {

namespace {

using namespace std::string_literals;

TEST(JsonWriter, SeparatesMembersAndElements) {
    json_writer out;
    out.begin_object();
    out.key("a").begin_array().integer(1).string("x").null().begin_object().end_object().end_array(
    );
    out.key("b").boolean(true).key("c").boolean(false);
    out.key("d").begin_array().end_array().key("e").json(json_text{});
    out.end_object();
    EXPECT_EQ(out.take().str(), R"({"a":[1,"x",null,{}],"b":true,"c":false,"d":[],"e":{}})");
}

TEST(JsonWriter, WritesExtremeNumbers) {
    json_writer out;
    out.begin_array();
    out.integer(std::numeric_limits<std::int64_t>::min());
    out.integer(std::numeric_limits<std::int64_t>::max());
    out.number(0.1).number(-0.0).number(1e300).number(std::numeric_limits<double>::denorm_min());
    out.end_array();
    EXPECT_EQ(out.take().str(), "[-9223372036854775808,9223372036854775807,0.1,-0,1e+300,5e-324]");
}

TEST(JsonWriter, StartsAgainAfterTaking) {
    json_writer out;
    EXPECT_EQ(out.string("first").take().str(), R"("first")");
    EXPECT_EQ(out.string("second").take().str(), R"("second")");
}

TEST(JsonWriterDeathTest, WritesNoInfinity) {
    EXPECT_DEATH(json_writer{}.number(std::numeric_limits<double>::infinity()), "infinity");
}

#ifndef NDEBUG
// A half-written value is found where it is taken.
TEST(JsonWriterDeathTest, GivesNoHalfValue) {
    json_writer out;
    out.begin_object().key("a");
    EXPECT_DEATH(static_cast<void>(out.take()), "not canonical");
}
#endif

TEST(AppendJsonString, EscapesOnlyWhatItMust) {
    std::string out = "x";
    append_json_string(out, "\"\\/\b\f\n\r\t\x01\x1F\x7F é日😀"s);
    EXPECT_EQ(out, "x\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F é日😀\"");
}

// The last line of defence: text that never saw the boundary still makes valid JSON.
TEST(AppendJsonString, ReplacesMalformedText) {
    std::string out;
    append_json_string(out, "a\xFF\xED\xA0\x80z");
    EXPECT_EQ(out, "\"a\uFFFD\uFFFDz\"");
}

}  // namespace

}  // namespace convene
