// SPDX-License-Identifier: Apache-2.0
// Schemas: what a body may be, and which field is at fault.
#include "http/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/canonical_json.hpp"
#include "http/content_schema.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const schema& pet() {
    static const schema made = schema::input(
        "Pet",
        {required("name", schema::text({1, 5})),
         optional("age", schema::integer({0, 30})),
         optional("weight", schema::number(0.5, 100)),
         optional("is_fed", schema::boolean()),
         optional("kind", schema::word("PetKind", {"cat", "dog"})),
         optional("born_at", schema::time()),
         optional("friends", schema::list(schema::id(), 2)),
         optional("owner", schema::input("", {required("id", schema::id())}).or_null()),
         optional("metadata", schema::any_object()),
         optional("says", schema::content())}
    );
    return made;
}

/// `field: reason` of every fault.
std::vector<std::string> faults(std::string_view text) {
    const or_problem<read_object> read = read_object::parse(&pet(), text);
    std::vector<std::string> all;
    if (!read) {
        for (const field_fault& fault : read.error().errors) {
            all.push_back(fault.field + ": " + fault.reason);
        }
    }
    return all;
}

// All that is wrong is told at once, each with its field.
// Proves: R16
TEST(Schema, NamesEveryFieldAtFault) {
    EXPECT_THAT(
        faults(R"({"age":31,"kind":"fish","colour":"red"})"),
        ElementsAre(
            "age: out_of_range",
            "kind: unknown_value",
            "colour: unknown_field",
            "name: missing_field"
        )
    );
    EXPECT_THAT(faults(R"({"name":""})"), ElementsAre("name: empty"));
    EXPECT_THAT(faults(R"({"name":"Rumpel"})"), ElementsAre("name: too_long"));
    EXPECT_THAT(faults(R"({"name":7})"), ElementsAre("name: wrong_type"));
    EXPECT_THAT(faults(R"({"name":"a","age":1.0})"), ElementsAre("age: wrong_type"));
    EXPECT_THAT(faults(R"({"name":"a","age":"1"})"), ElementsAre("age: wrong_type"));
    EXPECT_THAT(
        faults(R"({"name":"a","age":99999999999999999999})"), ElementsAre("age: out_of_range")
    );
    EXPECT_THAT(faults(R"({"name":"a","weight":0.1})"), ElementsAre("weight: out_of_range"));
    EXPECT_THAT(faults(R"({"name":"a","is_fed":1})"), ElementsAre("is_fed: wrong_type"));
    EXPECT_THAT(faults(R"({"name":"a","born_at":"today"})"), ElementsAre("born_at: malformed"));
    EXPECT_THAT(faults(R"({"name":"a","friends":["b",""]})"), ElementsAre("friends[1]: empty"));
    EXPECT_THAT(
        faults(R"({"name":"a","friends":["b","c","d"]})"), ElementsAre("friends: too_many")
    );
    EXPECT_THAT(faults(R"({"name":"a","owner":{}})"), ElementsAre("owner.id: missing_field"));
    EXPECT_THAT(
        faults(R"({"name":"a","owner":{"id":"x","a":1}})"), ElementsAre("owner.a: unknown_field")
    );
    EXPECT_THAT(faults(R"({"name":"a","metadata":[]})"), ElementsAre("metadata: wrong_type"));
    EXPECT_THAT(
        faults(R"({"name":"a","says":{"type":"text","body":1}})"),
        ElementsAre("says.body: wrong_type")
    );
    EXPECT_THAT(faults("[]"), ElementsAre("body: wrong_type"));
}

// The text boundary comes first: what is no text or no JSON never reaches a schema.
// Proves: R16
TEST(Schema, TheBoundaryComesFirst) {
    EXPECT_THAT(faults("{\"name\":\"\xFF\"}"), ElementsAre("name: invalid_utf8"));
    EXPECT_THAT(faults(R"({"name":"\ud800"})"), ElementsAre("name: lone_surrogate"));
    EXPECT_THAT(faults(R"({"name":"\u0000"})"), ElementsAre("name: nul_character"));
    EXPECT_THAT(faults(R"({"name":"a","name":"b"})"), ElementsAre("name: duplicate_key"));
    const or_problem<read_object> broken = read_object::parse(&pet(), "{]");
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().status, 400);
    EXPECT_EQ(broken.error().code, "INVALID_JSON");
}

// `null` stands for what is left out, and for itself where it has a meaning.
// Proves: R16
TEST(Schema, NullIsAbsentUnlessItMeansSomething) {
    EXPECT_THAT(faults(R"({"name":"a","age":null,"owner":null})"), IsEmpty());
    EXPECT_THAT(faults(R"({"name":null})"), ElementsAre("name: missing_field"));
    const read_object read = read_object::parse(&pet(), R"({"name":"a","age":null,"owner":null})")
                                 .value();
    EXPECT_EQ(read.integer("age"), std::nullopt);
    EXPECT_TRUE(read.is_null("owner"));
    EXPECT_FALSE(read.has("owner"));
    EXPECT_FALSE(read.is_null("kind"));
}

// What was read has its type, and text its meaning.
// Proves: R16
TEST(Schema, GettersGiveWhatWasSent) {
    const read_object
        read = read_object::parse(
                   &pet(),
                   R"({"name":"a\nb","age":30,"weight":1.5,"is_fed":true,"friends":["x","y"],)"
                   R"("owner":{"id":"o"},"metadata":{"k":1e2},"says":{"type":"text","body":"hi"}})"
        )
                   .value();
    EXPECT_EQ(read.text("name"), "a\nb");
    EXPECT_EQ(read.integer("age"), 30);
    EXPECT_EQ(read.number("weight"), 1.5);
    EXPECT_EQ(read.boolean("is_fed"), true);
    EXPECT_THAT(read.texts("friends"), ElementsAre("x", "y"));
    EXPECT_EQ(read.object("owner")->text("id"), "o");
    EXPECT_EQ(read.json("metadata")->str(), R"({"k":1e2})");
    EXPECT_EQ(read.content("says")->body(), "hi");
}

/// Whether content passes the schema of its type.
std::size_t faults_by_schema(std::string_view json) {
    const std::string type = find_text(json, "type").value_or("");
    for (const schema& variant : content_schema().variants) {
        if (variant.fields.front().type.words.front() == type) {
            return faults_of(variant, json, "").size();
        }
    }
    return 1;
}

// The content types of the document are those that are read: each has its schema, and they agree on samples.
// Proves: R17
TEST(Schema, ContentIsDocumentedAsItIsRead) {
    std::vector<std::string> words;
    for (const schema& one : content_schema().variants) {
        words.push_back(one.fields.front().type.words.front());
    }
    std::vector<std::string> types;
    for (unsigned n = 0; n <= static_cast<unsigned>(content_type::tool_call); ++n) {
        types.emplace_back(word_of(static_cast<content_type>(n)));
    }
    EXPECT_EQ(words, types);
    for (const std::string_view sample : {
             R"({"type":"text","body":"x","language":"pt-BR"})",
             R"({"type":"text"})",
             R"({"type":"rich","body":"x","format":"html","buttons":[{}],"quick_replies":["y"]})",
             R"({"type":"rich","body":"x","format":"rtf"})",
             R"({"type":"media","url":"https://a.example/b","mime_type":"image/png","size_bytes":1})",
             R"({"type":"media","url":"https://a.example/b"})",
             R"({"type":"location","latitude":90,"longitude":-180})",
             R"({"type":"location","latitude":91,"longitude":0})",
             R"({"type":"audio","url":"https://a.example/b","mime_type":"audio/ogg","duration_seconds":1.5})",
             R"({"type":"video","url":"https://a.example/b","mime_type":"video/mp4"})",
             R"({"type":"composite","parts":[{"type":"text","body":"x"}]})",
             R"({"type":"composite"})",
             R"({"type":"system","body":"x","code":"c","data":{}})",
             R"({"type":"system","body":"x","data":1})",
             R"({"type":"template","template_id":"t","parameters":{"a":"b"}})",
             R"({"type":"edit","target_event_id":"e","new_content":{"type":"text","body":"x"}})",
             R"({"type":"edit","target_event_id":"e"})",
             R"({"type":"delete","target_event_id":"e","delete_type":"sender","reason":"r"})",
             R"({"type":"delete","target_event_id":"e","delete_type":"robot"})",
             R"({"type":"tool_call","tool_name":"n","tool_id":"i","arguments":{},"status":"pending","result":[1]})",
             R"({"type":"tool_call","tool_name":"n","tool_id":"i","arguments":[],"status":"pending"})",
             R"({"type":"text","body":"x","more":1})",
         }) {
        EXPECT_EQ(parse_content(sample).has_value(), faults_by_schema(sample) == 0) << sample;
    }
}

}  // namespace
}  // namespace convene
