// SPDX-License-Identifier: Apache-2.0
// Schemas of tools: what fits, what does not and why, and what is refused before anything is called.
#include "agent/json_schema.hpp"

#include "convene/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/scripted_tool.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

json_text text_of(std::string json) {
    auto parsed = json_text::parse(json);
    EXPECT_TRUE(parsed.has_value()) << json;
    return parsed ? *std::move(parsed) : json_text{};
}

/// `fits`, what does not fit, or `refused FIELD REASON`.
std::string check(std::string schema, std::string document) {
    const auto compiled = json_schema::compile(text_of(std::move(schema)), "s");
    if (!compiled) {
        return "refused " + compiled.error().field + " " +
               std::string{word_of(compiled.error().reason)};
    }
    return compiled->find_misfit(text_of(std::move(document))).value_or("fits");
}

bool fits(std::string schema, std::string document) {
    return check(std::move(schema), std::move(document)) == "fits";
}

// The words that tools use most, right and wrong.
// Proves: A9
TEST(JsonSchema, HoldsArgumentsAgainstTheirSchema) {
    const std::string schema =
        R"({"type":"object","properties":{"city":{"type":"string","minLength":2},"days":{"type":"integer","minimum":1,"maximum":7},"unit":{"enum":["c","f"]}},"required":["city"],"additionalProperties":false})";
    EXPECT_TRUE(fits(schema, R"({"city":"Kyoto","days":3,"unit":"c"})"));
    EXPECT_FALSE(fits(schema, R"({"days":3})"));
    EXPECT_FALSE(fits(schema, R"({"city":"K"})"));
    EXPECT_FALSE(fits(schema, R"({"city":"Kyoto","days":8})"));
    EXPECT_FALSE(fits(schema, R"({"city":"Kyoto","days":"3"})"));
    EXPECT_FALSE(fits(schema, R"({"city":"Kyoto","unit":"k"})"));
    EXPECT_FALSE(fits(schema, R"({"city":"Kyoto","more":1})"));
    EXPECT_FALSE(fits(schema, R"([])"));
    EXPECT_NE(check(schema, R"({"city":"Kyoto","days":8})").find("days"), std::string::npos);
}

// What 2020-12 spells differently means the same.
// Proves: A9
TEST(JsonSchema, KnowsTheSpellingsOf2020) {
    const std::string refers =
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"$ref":"#/$defs/n","maximum":9}},"$defs":{"n":{"type":"integer","minimum":3}}})";
    EXPECT_TRUE(fits(refers, R"({"a":4})"));
    EXPECT_FALSE(fits(refers, R"({"a":2})"));
    EXPECT_FALSE(fits(refers, R"({"a":10})"));

    const std::string tuple =
        R"({"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}})";
    EXPECT_TRUE(fits(tuple, R"(["a",1,true,false])"));
    EXPECT_FALSE(fits(tuple, R"([1,"a"])"));
    EXPECT_FALSE(fits(tuple, R"(["a",1,2])"));

    const std::string dependent =
        R"({"dependentRequired":{"card":["address"]},"dependentSchemas":{"card":{"required":["name"]}}})";
    EXPECT_TRUE(fits(dependent, R"({"other":1})"));
    EXPECT_TRUE(fits(dependent, R"({"card":1,"address":1,"name":1})"));
    EXPECT_FALSE(fits(dependent, R"({"card":1,"name":1})"));
    EXPECT_FALSE(fits(dependent, R"({"card":1,"address":1})"));
}

// Alternatives, conditions, and a schema that refers to itself on the way down.
// Proves: A9
TEST(JsonSchema, FollowsAlternativesAndTrees) {
    const std::string either = R"({"anyOf":[{"type":"string"},{"type":"null"}]})";
    EXPECT_TRUE(fits(either, "null"));
    EXPECT_FALSE(fits(either, "1"));
    const std::string condition =
        R"({"if":{"properties":{"k":{"const":1}}},"then":{"required":["a"]},"else":{"required":["b"]}})";
    EXPECT_TRUE(fits(condition, R"({"k":1,"a":0})"));
    EXPECT_FALSE(fits(condition, R"({"k":1,"b":0})"));
    const std::string tree =
        R"({"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}})";
    EXPECT_TRUE(fits(tree, R"({"name":"a","children":[{"name":"b","children":[]}]})"));
    EXPECT_FALSE(fits(tree, R"({"name":"a","children":[{"name":1}]})"));
}

// Titles, examples, vendors' words and patterns are not held against anything.
// Proves: A9
TEST(JsonSchema, OverlooksWhatSaysNothing) {
    EXPECT_TRUE(fits(
        R"({"title":"t","x-vendor":{"$ref":1},"properties":{"a":{"pattern":"^(a+)+$","format":"email","default":3}}})",
        R"({"a":"no match"})"
    ));
    EXPECT_TRUE(
        fits(R"({"patternProperties":{"^x-":{}},"additionalProperties":false})", R"({"x-a":1})")
    );
}

// What would be overlooked silently is refused by its name.
// Proves: A9
TEST(JsonSchema, RefusesByName) {
    EXPECT_EQ(
        check(R"({"properties":{"a":{"unevaluatedProperties":false}}})", "{}"),
        "refused s.properties.a.unevaluatedProperties not_allowed_here"
    );
    EXPECT_EQ(check(R"({"minContains":2})", "[]"), "refused s.minContains not_allowed_here");
    EXPECT_EQ(
        check(R"({"$ref":"https://example.com/s"})", "{}"), "refused s[\"$ref\"] unsupported_url"
    );
    EXPECT_EQ(check(R"({"$ref":"#/$defs/none"})", "{}"), "refused s[\"$ref\"] unknown_value");
    EXPECT_EQ(check(R"({"properties":3})", "{}"), "refused s.properties wrong_type");
    EXPECT_EQ(check(R"({"type":"strnig"})", "{}"), "refused s malformed");
    EXPECT_EQ(check(R"({"allOf":{"type":"string"}})", "{}"), "refused s.allOf wrong_type");
    EXPECT_EQ(check("3", "{}"), "refused s wrong_type");
}

// A schema of somebody else's can't make the validator run for ever.
// Proves: A9
TEST(JsonSchema, RefusesWhatNeverEnds) {
    EXPECT_EQ(check(R"({"$ref":"#"})", "{}"), "refused s[\"$ref\"] too_deep");
    EXPECT_EQ(
        check(
            R"({"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}})",
            "{}"
        ),
        "refused s[\"$ref\"] too_deep"
    );
    std::string doubling = R"({"$ref":"#/$defs/n20","$defs":{"n0":{"type":"string"})";
    for (int i = 1; i <= 20; ++i) {
        const std::string before = R"({"$ref":"#/$defs/n)" + std::to_string(i - 1) + R"("})";
        doubling += R"(,"n)" + std::to_string(i) + R"(":{"anyOf":[)" + before + "," + before + "]}";
    }
    EXPECT_EQ(check(doubling + "}}", "{}"), "refused s too_many");
}

// A misfit is told in one short text, however large the arguments are.
// Proves: A9, R16
TEST(JsonSchema, TellsMisfitsShortly) {
    const std::string large(100'000, 'x');
    const std::string told = check(R"({"type":"object"})", "\"" + large + "\"");
    EXPECT_NE(told, "fits");
    EXPECT_LE(told.size(), 1'000U);
}

/// `FIELD REASON` of each place that does not fit.
std::vector<std::string> faults(std::string schema, std::string document) {
    const auto compiled = json_schema::compile(text_of(std::move(schema)), "s");
    EXPECT_TRUE(compiled.has_value());
    std::vector<std::string> told;
    for (const boundary_error& one : compiled->find_faults(text_of(std::move(document)), "r")) {
        told.push_back(one.field + " " + std::string{word_of(one.reason)});
    }
    return told;
}

// Each rule names the place that breaks it, and in a stable word how.
// Proves: A6
TEST(JsonSchema, TellsEachPlace) {
    const auto of = [](const std::string& rule, const std::string& value) {
        return faults(R"({"properties":{"a":)" + rule + "}}", R"({"a":)" + value + "}");
    };
    EXPECT_THAT(of(R"({"type":"string"})", "1"), ElementsAre("r.a wrong_type"));
    EXPECT_THAT(of(R"({"enum":["b"]})", "1"), ElementsAre("r.a unknown_value"));
    EXPECT_THAT(of(R"({"const":"b"})", "1"), ElementsAre("r.a unknown_value"));
    EXPECT_THAT(of(R"({"minimum":2})", "1"), ElementsAre("r.a out_of_range"));
    EXPECT_THAT(of(R"({"maximum":0})", "1"), ElementsAre("r.a out_of_range"));
    EXPECT_THAT(of(R"({"exclusiveMinimum":1})", "1"), ElementsAre("r.a out_of_range"));
    EXPECT_THAT(of(R"({"multipleOf":2})", "1"), ElementsAre("r.a malformed"));
    EXPECT_THAT(of(R"({"maxLength":1})", R"("bc")"), ElementsAre("r.a too_long"));
    EXPECT_THAT(of(R"({"minLength":3})", R"("bc")"), ElementsAre("r.a too_short"));
    EXPECT_THAT(of(R"({"maxItems":1})", "[1,2]"), ElementsAre("r.a too_many"));
    EXPECT_THAT(of(R"({"minItems":3})", "[1,2]"), ElementsAre("r.a too_short"));
    EXPECT_THAT(of(R"({"uniqueItems":true})", "[1,1]"), ElementsAre("r.a malformed"));
    EXPECT_THAT(of(R"({"maxProperties":0})", R"({"b":1})"), ElementsAre("r.a too_many"));
    EXPECT_THAT(of(R"({"minProperties":1})", "{}"), ElementsAre("r.a too_short"));
    EXPECT_THAT(of(R"({"required":["b"]})", "{}"), ElementsAre("r.a.b missing_field"));
    EXPECT_THAT(
        of(R"({"additionalProperties":false})", R"({"b 'c'":1})"),
        ElementsAre(R"(r.a["b 'c'"] unknown_field)")
    );
    EXPECT_THAT(of(R"({"not":{}})", "1"), ElementsAre("r.a malformed"));
    EXPECT_THAT(of(R"({"type":"string"})", R"("fits")"), IsEmpty());
}

// All places are told, each once and without what is around them; a member may be called as a position is.
// Proves: A6
TEST(JsonSchema, TellsAllPlacesOnce) {
    const std::string schema =
        R"({"type":"object","required":["name","at"],"properties":{"amount":{"allOf":[{"type":"integer"},{"maximum":9}]},"to":{"properties":{"0":{"type":"string"}}},"tags":{"items":{"properties":{"n":{"type":"integer"}}}}}})";
    EXPECT_THAT(
        faults(
            schema, R"({"name":"a","amount":12,"to":{"0":1},"tags":[{"n":1},{"n":"x"},{"n":null}]})"
        ),
        UnorderedElementsAre(
            "r.at missing_field",
            "r.amount out_of_range",
            "r.to.0 wrong_type",
            "r.tags[1].n wrong_type",
            "r.tags[2].n wrong_type"
        )
    );
    EXPECT_THAT(faults(schema, "3"), ElementsAre("r wrong_type"));
    std::string many = "[";
    for (int i = 0; i < 100; ++i) {
        many += R"("x",)";
    }
    EXPECT_THAT(faults(R"({"items":{"type":"integer"}})", many + "0]"), SizeIs(20));
}

// Whichever alternative was meant: the place is told, and not what each of them misses.
// Proves: A6
TEST(JsonSchema, TellsOfAlternativesThePlaceAlone) {
    const std::string pay =
        R"({"properties":{"pay":{"anyOf":[{"required":["card"]},{"required":["iban"]}]},"day":{"oneOf":[{"type":"string"},{"type":"null"}]}}})";
    EXPECT_THAT(
        faults(pay, R"({"pay":{},"day":1})"),
        UnorderedElementsAre("r.pay malformed", "r.day malformed")
    );
    EXPECT_THAT(faults(R"({"oneOf":[{},{}]})", "1"), ElementsAre("r malformed"));
}

// A toolbox takes a tool once, under a name that providers take, with a schema that can be checked.
// Proves: A9
TEST(Toolbox, TakesWhatCanBeCalled) {
    toolbox tools;
    EXPECT_TRUE(tools.add(scripted_tool::saying("search", "")));
    EXPECT_EQ(tools.add(scripted_tool::saying("search", "")).error(), errc::already_exists);
    EXPECT_EQ(tools.add(scripted_tool::saying("se arch", "")).error(), errc::invalid_argument);
    EXPECT_EQ(tools.add(scripted_tool::saying("", "")).error(), errc::invalid_argument);
    EXPECT_EQ(
        tools.add(scripted_tool::saying(std::string(65, 'a'), "")).error(), errc::invalid_argument
    );
    const auto odd = std::make_shared<scripted_tool>("odd", R"({"$anchor":"a"})", nullptr);
    EXPECT_EQ(tools.add(odd).error(), errc::invalid_argument);

    EXPECT_NE(tools.find("search"), nullptr);
    EXPECT_EQ(tools.find("odd"), nullptr);
    ASSERT_EQ(tools.definitions().size(), 1U);
    EXPECT_EQ(tools.definitions().front().name, "search");
    EXPECT_FALSE(tools.find_misfit("search", text_of("{}")));
    EXPECT_TRUE(tools.find_misfit("search", text_of("[]")));
}

}  // namespace
}  // namespace convene
