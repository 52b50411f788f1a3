// SPDX-License-Identifier: Apache-2.0
// Transcoding: every type has a readable text, and every channel gets what it can show.
#include "convene/content.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

content parsed(std::string_view json) { return parse_content(json).value(); }

std::string text_of(std::string_view json) { return readable_text(parsed(json)); }

// Proves: R17
TEST(ReadableText, ShowsWordsAsTheyAre) {
    EXPECT_EQ(text_of(R"({"type":"text","body":"hello"})"), "hello");
    EXPECT_EQ(text_of(R"({"type":"system","body":"Ann joined","code":"c"})"), "Ann joined");
}

// Proves: R17
TEST(ReadableText, PrefersThePlainTextOfRichContent) {
    EXPECT_EQ(
        text_of(R"({"type":"rich","body":"<b>x</b>","format":"html","plain_text":"x"})"), "x"
    );
    EXPECT_EQ(text_of(R"({"type":"rich","body":"**x**","format":"markdown"})"), "**x**");
    EXPECT_EQ(
        text_of(R"({"type":"rich","body":"**x**","format":"markdown","plain_text":""})"), "**x**"
    );
}

// Proves: R17
TEST(ReadableText, DescribesMediaByTheBestItHas) {
    EXPECT_EQ(
        text_of(
            R"({"type":"media","url":"https://a.org/x","mime_type":"a/b","filename":"x.png","caption":"Our cat"})"
        ),
        "[Media: Our cat]"
    );
    EXPECT_EQ(
        text_of(R"({"type":"media","url":"https://a.org/x","mime_type":"a/b","filename":"x.png"})"),
        "[Media: x.png]"
    );
    EXPECT_EQ(
        text_of(R"({"type":"media","url":"https://a.org/x","mime_type":"a/b"})"),
        "[Media: https://a.org/x]"
    );
}

// A data URL is a megabyte that nobody can read.
TEST(ReadableText, NamesTheKindOfInlineData) {
    EXPECT_EQ(
        text_of(R"({"type":"media","url":"data:image/png;base64,iVBOR","mime_type":"image/png"})"),
        "[Media: image/png]"
    );
    EXPECT_EQ(
        text_of(R"({"type":"audio","url":"data:audio/ogg;base64,T2dn","mime_type":"audio/ogg"})"),
        "[Voice message: audio/ogg]"
    );
}

// Proves: R17
TEST(ReadableText, DescribesAudioAndVideo) {
    EXPECT_EQ(
        text_of(R"({"type":"audio","url":"https://a.org/x","mime_type":"a/b","transcript":"hi"})"),
        "hi"
    );
    EXPECT_EQ(
        text_of(R"({"type":"audio","url":"https://a.org/x","mime_type":"a/b"})"),
        "[Voice message: https://a.org/x]"
    );
    EXPECT_EQ(
        text_of(R"({"type":"video","url":"https://a.org/x","mime_type":"a/b"})"),
        "[Video: https://a.org/x]"
    );
}

// Proves: R17
TEST(ReadableText, DescribesLocations) {
    EXPECT_EQ(
        text_of(R"({"type":"location","latitude":35.6895,"longitude":139.6917,"label":"Tokyo"})"),
        "[Location: Tokyo (35.6895, 139.6917)]"
    );
    EXPECT_EQ(
        text_of(R"({"type":"location","latitude":-90,"longitude":0.50})"), "[Location: -90, 0.50]"
    );
}

// Proves: R17
TEST(ReadableText, JoinsPartsByLines) {
    EXPECT_EQ(
        text_of(
            R"({"type":"composite","parts":[{"type":"text","body":"a"},{"type":"composite","parts":[{"type":"text","body":"b"},{"type":"video","url":"https://c","mime_type":"v/w"}]}]})"
        ),
        "a\nb\n[Video: https://c]"
    );
}

// Proves: R17
TEST(ReadableText, DescribesTemplatesEditsDeletionsAndTools) {
    EXPECT_EQ(text_of(R"({"type":"template","template_id":"t-1"})"), "[Template: t-1]");
    EXPECT_EQ(text_of(R"({"type":"template","template_id":"t-1","body":"Dear Ann"})"), "Dear Ann");
    EXPECT_EQ(readable_text(content::edit(event_id{"e"}, content::text("new"))), "Correction: new");
    EXPECT_EQ(
        readable_text(content::remove(event_id{"e"}, delete_kind::sender)), "[Message deleted]"
    );
    EXPECT_EQ(
        readable_text(content::tool_call({.tool_name = "search", .tool_id = "1"})),
        "[Tool search: pending]"
    );
}

// A newer version's part is left out; the rest is still readable.
TEST(ReadableText, SkipsPartsItDoesNotKnow) {
    const content stored =
        content::from_store(
            R"({"type":"composite","parts":[{"type":"poll"},7,{"type":"text","body":"b"}]})"
        )
            .value();
    EXPECT_EQ(readable_text(stored), "b");
    EXPECT_EQ(readable_text(content::from_store(R"({"type":"composite"})").value()), "");
    EXPECT_EQ(readable_text(content::from_store(R"({"type":"edit"})").value()), "Correction: ");
}

channel_capabilities showing(content_type_set types, std::size_t max_text_length = 0) {
    return {types, max_text_length};
}

content shown(const content& what, const channel_capabilities& can) {
    return transcode(what, can).value();
}

// Proves: R17
TEST(Transcode, LeavesWhatTheChannelSupports) {
    const content media = parsed(R"({"type":"media","url":"https://a","mime_type":"a/b"})");
    EXPECT_EQ(shown(media, showing(content_type_set::all())), media);
    EXPECT_EQ(shown(content::text("hi"), {}), content::text("hi"));
}

// Proves: R17
TEST(Transcode, FallsBackToReadableText) {
    const content media = parsed(R"({"type":"media","url":"https://a","mime_type":"a/b"})");
    EXPECT_EQ(shown(media, {}), content::text("[Media: https://a]"));
    EXPECT_EQ(
        shown(content::edit(event_id{"e"}, content::text("x")), {}), content::text("Correction: x")
    );
}

// Proves: R17
TEST(Transcode, RefusesAChannelThatShowsNothing) {
    const result<content> answer = transcode(content::text("x"), showing({content_type::audio}));
    EXPECT_EQ(answer.error(), make_error_code(errc::invalid_argument));
    const content parts = parsed(R"({"type":"composite","parts":[{"type":"text","body":"x"}]})");
    EXPECT_FALSE(transcode(parts, showing({content_type::composite})));
    const content edit = content::edit(event_id{"e"}, content::text("x"));
    EXPECT_FALSE(transcode(edit, showing({content_type::edit})));
}

// Where composites are supported, only the parts that are not become text.
// Proves: R17
TEST(Transcode, FitsTheParts) {
    const content parts = parsed(
        R"({"type":"composite","parts":[{"type":"text","body":"a"},{"type":"location","latitude":1.50,"longitude":2},{"type":"video","url":"https://a","mime_type":"v/w","duration_seconds":3.0}]})"
    );
    EXPECT_EQ(
        shown(parts, showing({content_type::text, content_type::composite, content_type::video}))
            .json()
            .str(),
        R"({"type":"composite","parts":[{"type":"text","body":"a"},{"type":"text","body":"[Location: 1.50, 2]"},{"type":"video","url":"https://a","mime_type":"v/w","duration_seconds":3.0}]})"
    );
    EXPECT_EQ(shown(parts, showing(content_type_set::all())), parts);
}

// Proves: R17
TEST(Transcode, FitsTheCorrectionOfAnEdit) {
    const content edit = parsed(
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"rich","body":"*x*","format":"markdown","plain_text":"x"},"edit_source":"sender"})"
    );
    EXPECT_EQ(
        shown(edit, showing({content_type::text, content_type::edit})).json().str(),
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"text","body":"x"},"edit_source":"sender"})"
    );
}

// Proves: R17
TEST(Transcode, CutsLongTextBetweenCodePoints) {
    const auto cut = [](std::string_view body, std::size_t max) {
        return shown(content::text(body), showing({content_type::text}, max)).body().value();
    };
    EXPECT_EQ(cut("日本語の長い文", 5), "日本語の…");
    EXPECT_EQ(cut("日本語の長い文", 7), "日本語の長い文");
    EXPECT_EQ(cut("😀😀😀😀", 3), "😀😀…");
    EXPECT_EQ(cut("abcdef", 1), "ab…");
    EXPECT_EQ(cut("abc", 1), "abc");
    EXPECT_EQ(cut("abcdef", 0), "abcdef");
}

// The other fields of shortened content stay.
TEST(Transcode, KeepsTheLanguageOfShortenedText) {
    const content text = parsed(R"({"type":"text","body":"abcdef","language":"en"})");
    EXPECT_EQ(
        shown(text, showing({content_type::text}, 4)).json().str(),
        R"({"type":"text","body":"abc…","language":"en"})"
    );
    EXPECT_EQ(
        shown(content::system("abc\"def", "c"), showing({content_type::system}, 5)).json().str(),
        R"({"type":"system","body":"abc\"…","code":"c"})"
    );
}

// Markup cut somewhere is broken markup: a long rich text becomes plain.
TEST(Transcode, MakesLongRichContentPlain) {
    const content rich = parsed(
        R"({"type":"rich","body":"<b>abcdef</b>","format":"html","plain_text":"abcdef"})"
    );
    const content_type_set both{content_type::text, content_type::rich};
    EXPECT_EQ(shown(rich, showing(both, 5)), content::text("abcd…"));
    EXPECT_EQ(shown(rich, showing(both, 13)), rich);
}

// The fallback of anything is bounded like text.
TEST(Transcode, CutsTheFallback) {
    const content media = parsed(
        R"({"type":"media","url":"https://a","mime_type":"a/b","caption":"a long caption"})"
    );
    EXPECT_EQ(shown(media, showing({content_type::text}, 10)), content::text("[Media: a…"));
}

}  // namespace

}  // namespace convene
