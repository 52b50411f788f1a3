// SPDX-License-Identifier: Apache-2.0
// What kind of file some bytes are, and which attachments a content names.
#include "base/media_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/content_attachments.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string png = "\x89PNG\r\n\x1A\n...";

// The bytes decide where they can be told apart, whatever the sender says.
// Proves: R20
TEST(MediaKind, BytesDecide) {
    EXPECT_EQ(settled_media_type("text/plain", png), "image/png");
    EXPECT_EQ(settled_media_type("Image/PNG; q=1", png), "image/png");
    EXPECT_EQ(settled_media_type("", "RIFF\x01\x02\x03\x04WEBPVP8 "), "image/webp");
    EXPECT_EQ(settled_media_type("", "%PDF-1.7"), "application/pdf");
    EXPECT_EQ(
        settled_media_type(
            "",
            std::string{
                "\0\0\0\x18"
                "ftypmp42",
                12
            }
        ),
        "video/mp4"
    );
}

// A claim to be what the bytes are not is not believed; one that bytes can't tell is.
// Proves: R20
TEST(MediaKind, FalseClaimsAreNotBelieved) {
    EXPECT_EQ(settled_media_type("image/png", "<script>"), "application/octet-stream");
    EXPECT_EQ(settled_media_type("application/pdf", "%P"), "application/octet-stream");
    EXPECT_EQ(settled_media_type("text/csv; charset=utf-8", "a,b"), "text/csv");
    EXPECT_EQ(settled_media_type("no type", "a,b"), "application/octet-stream");
    EXPECT_EQ(settled_media_type("image/svg+xml", "<svg/>"), "image/svg+xml");
}

// Containers are what their sender says of the two that they may be.
// Proves: R20
TEST(MediaKind, ContainersHoldEither) {
    const std::string ogg{"OggS\0...", 8};
    EXPECT_EQ(settled_media_type("video/ogg", ogg), "video/ogg");
    EXPECT_EQ(settled_media_type("text/html", ogg), "audio/ogg");
    const std::string
        document = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    EXPECT_EQ(settled_media_type(document, "PK\x03\x04"), document);
}

// Nothing that may run code is shown in place.
// Proves: R20, F1
TEST(MediaKind, OnlyHarmlessKindsAreShownInPlace) {
    EXPECT_TRUE(may_be_shown_inline("image/png"));
    for (const char* const kind :
         {"image/svg+xml", "text/html", "application/pdf", "text/plain", "application/xml", ""}) {
        EXPECT_FALSE(may_be_shown_inline(kind)) << kind;
    }
}

content parsed(const std::string& json) { return *parse_content(json); }

// Names stand where URLs do: in media, in the parts of a composite, in what an edit puts in place; each counts once.
// Proves: R17, R20
TEST(ContentAttachments, AreFoundWhereUrlsStand) {
    const std::string media = R"({"type":"media","url":"attachment:a","mime_type":"image/png"})";
    EXPECT_THAT(attachments_in(parsed(media)), ElementsAre("a"));
    EXPECT_THAT(
        attachments_in(parsed(
            R"({"type":"composite","parts":[)" + media + "," + media +
            R"(,{"type":"audio","url":"attachment:b","mime_type":"audio/ogg"}]})"
        )),
        ElementsAre("a", "b")
    );
    EXPECT_THAT(attachments_in(content::edit(event_id{"e"}, parsed(media))), ElementsAre("a"));
    EXPECT_THAT(attachments_in(content::text("attachment:a")), IsEmpty());
    EXPECT_FALSE(parse_content(R"({"type":"media","url":"attachment:a/b","mime_type":"image/png"})")
                     .has_value());
    EXPECT_EQ(readable_text(parsed(media)), "[Media: image/png]");
}

}  // namespace

}  // namespace convene
