// SPDX-License-Identifier: Apache-2.0
// Tests of the lines of transcripts.
#include "app/transcript/transcript_format.hpp"

#include <gtest/gtest.h>

namespace convene {

namespace {

std::string refusal_of(std::string_view line) {
    const auto parsed = parse_transcript_line(line);
    if (parsed) {
        return "accepted";
    }
    return parsed.error().field + ": " + std::string{word_of(parsed.error().reason)};
}

/// What a line is written as once it was read.
std::string rewritten(std::string_view line) {
    const auto parsed = parse_transcript_line(line);
    EXPECT_TRUE(parsed) << refusal_of(line);
    if (const auto* room = std::get_if<transcript_room>(&*parsed)) {
        return line_of(*room);
    }
    if (const auto* entry = std::get_if<transcript_entry>(&*parsed)) {
        return line_of(*entry);
    }
    return heading_line();
}

// What `export` writes is read and written again as the same bytes.
TEST(TranscriptFormat, WritesWhatItReads) {
    for (const std::string_view line : {
             R"({"record":"transcript","version":1})",
             R"({"record":"room","room":"a"})",
             R"({"record":"room","room":"部屋","status":"closed","metadata":{"n":1.50,"big":123456789012345678901234567890},"participants":[{"id":"u","display_name":"U","role":"owner","status":"left","external_id":"+81","metadata":{"k":[]}}]})",
             R"({"record":"event","room":"a","n":0,"content":{"type":"text","body":""}})",
             R"({"record":"event","room":"a","n":7,"speaker":"u","type":"reaction","content":{"type":"text","body":"👍"},"parent":3,"visibility":"x,y","response_visibility":"none","addressed_to":[],"correlation_id":"c","metadata":{"k":"v"},"edited":true,"deleted":true})",
             R"({"record":"event","room":"a","n":1,"type":"edit","content":{"type":"edit","target_event_id":"0","new_content":{"type":"text","body":"x"}}})",
         }) {
        EXPECT_EQ(rewritten(line), line);
    }
}

// Each fault is named by its field; nothing is taken half.
TEST(TranscriptFormat, NamesTheFieldAtFault) {
    EXPECT_EQ(refusal_of("nonsense"), ": not_json");
    EXPECT_EQ(refusal_of("[]"), ": wrong_type");
    EXPECT_EQ(refusal_of(R"({"record":"wish"})"), "record: unknown_value");
    EXPECT_EQ(refusal_of(R"({"record":"transcript","version":9})"), "version: unknown_value");
    EXPECT_EQ(refusal_of(R"({"record":"room"})"), "room: missing_field");
    EXPECT_EQ(
        refusal_of(R"({"record":"room","room":"a","status":"gone"})"), "status: unknown_value"
    );
    EXPECT_EQ(refusal_of(R"({"record":"room","room":"a","metadata":[]})"), "metadata: wrong_type");
    EXPECT_EQ(
        refusal_of(
            R"({"record":"room","room":"a","participants":[{"id":"u"},{"id":"v","role":"king"}]})"
        ),
        "participants[1].role: unknown_value"
    );
    EXPECT_EQ(
        refusal_of(R"({"record":"room","room":"a","participants":[{"id":"u","odd":1}]})"),
        "participants[0].odd: unknown_field"
    );
    EXPECT_EQ(
        refusal_of(R"({"record":"event","room":"a","content":{"type":"text","body":""}})"),
        "n: missing_field"
    );
    EXPECT_EQ(refusal_of(R"({"record":"event","room":"a","n":0})"), "content: missing_field");
    EXPECT_EQ(
        refusal_of(R"({"record":"event","room":"a","n":0,"content":{"type":"text"}})"),
        "content.body: missing_field"
    );
    EXPECT_EQ(
        refusal_of(R"({"record":"event","room":"a","n":-1,"content":{"type":"text","body":""}})"),
        "n: out_of_range"
    );
    EXPECT_EQ(
        refusal_of(
            R"({"record":"event","room":"a","n":0,"content":{"type":"text","body":""},"addressed_to":["b",""]})"
        ),
        "addressed_to[1]: empty"
    );
    EXPECT_EQ(
        refusal_of(
            R"({"record":"event","room":"a","n":0,"content":{"type":"text","body":""},"id":"e"})"
        ),
        "id: unknown_field"
    );
}

// A dialogue is a room with its events; who speaks takes part, each once.
TEST(DialogueFormat, IsAWholeRoom) {
    const auto parsed = parse_transcript_line(
        R"({"dialogue_id":"d","services":["a","b"],"turns":[{"speaker":"user","text":"one"},{"speaker":"system","text":"two"},{"speaker":"user","text":"three"}]})"
    );
    ASSERT_TRUE(parsed);
    const auto& dialogue = std::get<transcript>(*parsed);
    EXPECT_EQ(dialogue.room.name, "d");
    EXPECT_EQ(dialogue.room.metadata.str(), R"({"services":["a","b"]})");
    ASSERT_EQ(dialogue.room.participants.size(), 2U);
    EXPECT_EQ(dialogue.room.participants[0].id, participant_id{"system"});
    EXPECT_EQ(dialogue.room.participants[0].role, participant_role::agent);
    EXPECT_EQ(dialogue.room.participants[1].role, participant_role::member);
    ASSERT_EQ(dialogue.events.size(), 3U);
    EXPECT_EQ(dialogue.events[2].position, event_index{2});
    EXPECT_EQ(dialogue.events[2].speaker, "user");
    EXPECT_EQ(dialogue.events[2].content.body(), "three");
}

TEST(DialogueFormat, NamesTheTurnAtFault) {
    EXPECT_EQ(refusal_of(R"({"dialogue_id":"d"})"), "turns: missing_field");
    EXPECT_EQ(refusal_of(R"({"turns":[]})"), "dialogue_id: missing_field");
    EXPECT_EQ(refusal_of(R"({"dialogue_id":"d","turns":[1]})"), "turns[0]: wrong_type");
    EXPECT_EQ(
        refusal_of(R"({"dialogue_id":"d","turns":[{"speaker":"u","text":"x"},{"speaker":"u"}]})"),
        "turns[1].text: missing_field"
    );
    EXPECT_EQ(
        refusal_of(R"({"dialogue_id":"d","services":["a",2],"turns":[]})"),
        "services[1]: wrong_type"
    );
}

transcript_event said(std::string_view text) {
    transcript_event event;
    event.position = event_index{3};
    event.speaker = "u";
    event.content = content::text(text);
    return event;
}

// What was edited or deleted since it was written down still is the same event; another text is not.
TEST(SameEvent, LooksPastEditsOnly) {
    const transcript_event original = said("one");
    EXPECT_TRUE(is_same_event(original, said("one")));
    EXPECT_FALSE(is_same_event(original, said("two")));

    transcript_event edited = said("two");
    edited.is_edited = true;
    EXPECT_TRUE(is_same_event(original, edited));
    EXPECT_TRUE(is_same_event(edited, original));

    edited.speaker = "v";
    EXPECT_FALSE(is_same_event(original, edited));
}

TEST(WithTarget, ReplacesNothingButTheTarget) {
    const content change = content::remove(event_id{"7"}, delete_kind::admin, "spam");
    const content renamed = with_target(change, "e-1");
    EXPECT_EQ(renamed.target_event(), event_id{"e-1"});
    EXPECT_EQ(with_target(renamed, "7"), change);
}

}  // namespace

}  // namespace convene
