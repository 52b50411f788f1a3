// SPDX-License-Identifier: Apache-2.0
// Content: what the factories make, what the fields say, what a store may give back.
#include "convene/content.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/documentation.hpp"

namespace convene {

namespace {

using namespace std::string_literals;

constexpr content_type all_types[] = {
    content_type::text,
    content_type::rich,
    content_type::media,
    content_type::location,
    content_type::audio,
    content_type::video,
    content_type::composite,
    content_type::system,
    content_type::template_,
    content_type::edit,
    content_type::delete_,
    content_type::tool_call,
};

content parsed(std::string_view json) { return parse_content(json).value(); }

/// What the factories make must pass the check that content from outside passes.
void expect_valid(const content& made, std::string_view json) {
    EXPECT_EQ(made.json().str(), json);
    const checked<content> again = parse_content(json);
    ASSERT_TRUE(again) << again.error().field << ' ' << word_of(again.error().reason);
    EXPECT_EQ(*again, made);
    EXPECT_EQ(again->type(), made.type());
}

// Proves: R17
TEST(ContentType, HasTwelveFrozenWords) {
    constexpr std::string_view words[] = {
        "text",
        "rich",
        "media",
        "location",
        "audio",
        "video",
        "composite",
        "system",
        "template",
        "edit",
        "delete",
        "tool_call"
    };
    ASSERT_EQ(std::size(words), std::size(all_types));
    for (std::size_t i = 0; i < std::size(words); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(all_types[i]), i);
        EXPECT_EQ(word_of(all_types[i]), words[i]);
        EXPECT_EQ(content_type_of(words[i]), all_types[i]);
        EXPECT_TRUE(content_type_set::all().contains(all_types[i]));
    }
    EXPECT_EQ(content_type_of("poll"), std::nullopt);
    EXPECT_EQ(content_type_of(""), std::nullopt);
}

TEST(ContentTypeSet, HoldsWhatWasPutIn) {
    content_type_set set{content_type::text, content_type::edit};
    EXPECT_TRUE(set.contains(content_type::edit));
    EXPECT_FALSE(set.contains(content_type::rich));
    set.insert(content_type::rich);
    EXPECT_TRUE(set.contains(content_type::rich));
    EXPECT_EQ(content_type_set{}, content_type_set(std::initializer_list<content_type>{}));
}

// The page that documents content has an example of each type with every field it has.
// Proves: R17
TEST(ParseContent, AcceptsEveryExampleOfItsPage) {
    const std::vector<std::string> examples = json_examples("formats/content.md");
    ASSERT_EQ(examples.size(), std::size(all_types));
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const checked<content> answer = parse_content(examples[i]);
        ASSERT_TRUE(answer) << answer.error().field << ' ' << word_of(answer.error().reason);
        EXPECT_EQ(answer->type(), all_types[i]);
        EXPECT_EQ(answer->json().str(), examples[i]) << "it is canonical already";
        EXPECT_TRUE(answer->repairs().empty());
    }
}

// Paths start with the field the caller sent it in.
// Proves: R16, R17
TEST(ParseContent, NamesTheCallersField) {
    const checked<content> answer = parse_content(R"({"type":"text"})", "event.content");
    ASSERT_FALSE(answer);
    EXPECT_EQ(
        answer.error(), (boundary_error{"event.content.body", boundary_reason::missing_field})
    );
}

// Every field of a rejected document is looked at with the limits given.
TEST(ParseContent, HonoursItsLimits) {
    boundary_limits limits;
    limits.max_text_bytes = 3;
    EXPECT_TRUE(parse_content(R"({"type":"text","body":"日"})", "content", limits));
    EXPECT_FALSE(parse_content(R"({"type":"text","body":"日本"})", "content", limits));
}

TEST(Content, IsEmptyTextAtFirst) { expect_valid(content{}, R"({"type":"text","body":""})"); }

TEST(Content, MakesText) {
    expect_valid(content::text("say \"hi\""), R"({"type":"text","body":"say \"hi\""})");
    EXPECT_EQ(content::text("hi").body(), "hi");
}

// A factory never fails: what could not be stored is replaced, and the record travels with the
// content. Proves: R16
TEST(Content, RepairsWhatItIsGiven) {
    const content made = content::text("a\0b\xFF"s);
    expect_valid(made, "{\"type\":\"text\",\"body\":\"a\uFFFDb\uFFFD\"}");
    EXPECT_EQ(made.repairs(), (repair_record{.invalid_utf8 = 1, .nul_characters = 1}));

    const content correction = content::edit(event_id{"e"}, made);
    EXPECT_EQ(correction.repairs(), made.repairs());

    const content long_text = content::text(std::string(300'000, 'x'));
    EXPECT_EQ(long_text.repairs(), repair_record{.dropped_bytes = 300'000 - 256 * 1024});
}

TEST(Content, MakesEdits) {
    const content made = content::edit(event_id{"e-1"}, content::text("new"), edit_origin::system);
    expect_valid(
        made,
        R"({"type":"edit","target_event_id":"e-1","new_content":{"type":"text","body":"new"},"edit_source":"system"})"
    );
    EXPECT_EQ(made.target_event(), event_id{"e-1"});
    EXPECT_EQ(made.new_content(), content::text("new"));
    EXPECT_EQ(made.edit_source(), edit_origin::system);
    EXPECT_EQ(made.body(), std::nullopt);
}

// Who may send a notice is checked where it is sent: an edit must not carry one in.
TEST(Content, EditsOnlyIntoMessages) {
    const content made = content::edit(event_id{"e"}, content::system("notice", "code"));
    EXPECT_EQ(made.new_content(), content::text("notice"));
}

// An edit whose source was left out is the sender's: the lesser right.
TEST(Content, TakesAnUnnamedEditForTheSenders) {
    const content edit = parsed(
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"text","body":"x"}})"
    );
    EXPECT_EQ(edit.edit_source(), edit_origin::sender);
}

TEST(Content, MakesDeletions) {
    const content made = content::remove(event_id{"e-1"}, delete_kind::admin, "spam");
    expect_valid(
        made, R"({"type":"delete","target_event_id":"e-1","delete_type":"admin","reason":"spam"})"
    );
    EXPECT_EQ(made.target_event(), event_id{"e-1"});
    EXPECT_EQ(made.delete_type(), delete_kind::admin);
    expect_valid(
        content::remove(event_id{"e"}, delete_kind::sender),
        R"({"type":"delete","target_event_id":"e","delete_type":"sender"})"
    );
}

TEST(Content, MakesNotices) {
    expect_valid(
        content::system("Ann joined", "participant_joined", json_text::parse(R"({"n":1})").value()),
        R"({"type":"system","body":"Ann joined","code":"participant_joined","data":{"n":1}})"
    );
    expect_valid(content::system("hello"), R"({"type":"system","body":"hello"})");
}

TEST(Content, MakesToolCalls) {
    const content started = content::tool_call({.tool_name = "search", .tool_id = "t1"});
    expect_valid(
        started,
        R"({"type":"tool_call","tool_name":"search","tool_id":"t1","arguments":{},"status":"pending"})"
    );
    EXPECT_EQ(started.tool_status(), tool_call_status::pending);

    const content ended = content::tool_call({
        .tool_name = "search",
        .tool_id = "t1",
        .arguments = json_text::parse(R"({"q":"x"})").value(),
        .result = json_text::parse("[1.0]").value(),
        .status = tool_call_status::failed,
        .duration_ms = 12,
        .error = "half of it",
        .structured_content = json_text::parse("7").value(),
    });
    expect_valid(
        ended,
        R"({"type":"tool_call","tool_name":"search","tool_id":"t1","arguments":{"q":"x"},"result":[1.0],"status":"failed","duration_ms":12,"error":"half of it","structured_content":7})"
    );
    EXPECT_EQ(ended.tool_status(), tool_call_status::failed);
    EXPECT_EQ(ended.text_field("error"), "half of it");
}

// Whatever a model or a clock made up, the content is one that could have come from outside.
TEST(Content, MakesValidToolCallsOfAnything) {
    const content made = content::tool_call({.tool_name = "a\nb", .tool_id = "", .duration_ms = -7}
    );
    expect_valid(
        made,
        R"({"type":"tool_call","tool_name":"a\nb","tool_id":"","arguments":{},"status":"pending","duration_ms":0})"
    );
}

// A model that answers with a list instead of an object makes content like any other.
TEST(Content, KeepsArgumentsThatAreNoObject) {
    const json_text list = json_text::parse("[1]").value();
    const content made = content::tool_call({.tool_name = "t", .tool_id = "1", .arguments = list});
    expect_valid(
        made,
        R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":{"value":[1]},"status":"pending"})"
    );
}

// Fields of one type are absent from another, even where the text has the name.
TEST(Content, HasOnlyTheFieldsOfItsType) {
    const content text = content::text("x");
    EXPECT_EQ(text.target_event(), std::nullopt);
    EXPECT_EQ(text.new_content(), std::nullopt);
    EXPECT_EQ(text.edit_source(), std::nullopt);
    EXPECT_EQ(text.delete_type(), std::nullopt);
    EXPECT_EQ(text.tool_status(), std::nullopt);
    EXPECT_EQ(text.text_field("type"), "text");
}

// Stored by a newer version, or respelled by the database: still readable.
TEST(Content, ComesBackFromAStore) {
    const content made = content::tool_call({.tool_name = "t", .tool_id = "1"});
    EXPECT_EQ(content::from_store(made.json().str()).value(), made);

    const content newer = content::from_store(
                              R"({ "type": "text", "body": "x", "mood": "new field" })"
    )
                              .value();
    EXPECT_EQ(newer.type(), content_type::text);
    EXPECT_EQ(newer.body(), "x");
    EXPECT_EQ(newer.json().str(), R"({"type":"text","body":"x","mood":"new field"})");
}

TEST(Content, ReportsStoredBytesThatAreNoContent) {
    for (const std::string_view json :
         {"",
          "null",
          "[]",
          "{}",
          R"({"type":1})",
          R"({"type":"poll"})",
          R"({"type":"text")",
          "\"type\""}) {
        EXPECT_EQ(content::from_store(json).error(), make_error_code(errc::corrupt_data)) << json;
    }
}

// What is let in is read back, however large its parts made it.
TEST(Content, StoresMoreThanOneRequestMayBring) {
    const std::string result = "\"" + std::string(2'000'000, 'x') + "\"";
    const content made = content::tool_call(
        {.tool_name = "t", .tool_id = "1", .result = json_text::trusted(result)}
    );
    EXPECT_TRUE(content::from_store(made.json().str()));
}

TEST(IsMessage, IsWhatPeopleSay) {
    EXPECT_TRUE(is_message(content_type::text));
    EXPECT_TRUE(is_message(content_type::template_));
    for (const content_type type :
         {content_type::system, content_type::edit, content_type::delete_, content_type::tool_call
         }) {
        EXPECT_FALSE(is_message(type)) << word_of(type);
    }
}

}  // namespace

}  // namespace convene
