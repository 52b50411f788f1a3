// SPDX-License-Identifier: Apache-2.0
// Forms of texts: URLs, media types, language tags.
#include "base/value_forms.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

TEST(ValueForms, AcceptsWebUrls) {
    for (const std::string_view url :
         {"http://a", "https://example.org/a?b=c#d", "HTTP://[::1]:8080/", "https://例え.jp/道"}) {
        EXPECT_TRUE(is_web_url(url)) << url;
    }
    for (const std::string_view url :
         {"",
          "http:",
          "http://",
          "https:///x",
          "https://?q",
          "//a",
          "ftp://a",
          "https://a b",
          "https://a\n",
          "https://a\x7F",
          "https://a/<x>",
          "https://a/\"",
          "xhttps://a"}) {
        EXPECT_FALSE(is_web_url(url)) << url;
    }
}

TEST(ValueForms, AcceptsDataUrls) {
    EXPECT_TRUE(is_data_url("data:,"));
    EXPECT_TRUE(is_data_url("DATA:image/svg+xml,<svg/>"));
    EXPECT_FALSE(is_data_url("data:image/png;base64"));
    EXPECT_FALSE(is_data_url("data:,a b"));
    EXPECT_FALSE(is_data_url("data:,a\n"));
}

TEST(ValueForms, AcceptsMediaTypes) {
    for (const std::string_view type :
         {"image/png",
          "application/vnd.a+json",
          "text/plain; charset=utf-8",
          "audio/ogg;codecs=\"opus\""}) {
        EXPECT_TRUE(is_media_type(type)) << type;
    }
    for (const std::string_view type :
         {"",
          "image",
          "/png",
          "image/",
          "image/png/x",
          "im age/png",
          "image/png\n",
          "text/plain; a=\n",
          "画像/png"}) {
        EXPECT_FALSE(is_media_type(type)) << type;
    }
    EXPECT_FALSE(is_media_type("a/" + std::string(254, 'b')));
}

TEST(ValueForms, AcceptsLanguageTags) {
    for (const std::string_view tag : {"en", "pt-BR", "zh-Hant-TW", "x-klingon", "de-CH-1996"}) {
        EXPECT_TRUE(is_language_tag(tag)) << tag;
    }
    for (const std::string_view tag :
         {"",
          "-",
          "en-",
          "en--GB",
          "1en",
          "en_GB",
          "en GB",
          "toolongsubtag",
          "日本語",
          "en-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd"}) {
        EXPECT_FALSE(is_language_tag(tag)) << tag;
    }
}

// An attachment is named by its id alone.
TEST(ValueForms, AttachmentUris) {
    EXPECT_TRUE(is_attachment_uri("attachment:01890a5d-ac96-774b-bcce-b302099a8057"));
    for (const std::string_view text :
         {"attachment:", "attachment:a/b", "attachment:a b", "Attachment:a", "attachment:a?b", "a"
         }) {
        EXPECT_FALSE(is_attachment_uri(text)) << text;
    }
    EXPECT_FALSE(is_attachment_uri("attachment:" + std::string(65, 'a')));
}

}  // namespace

}  // namespace convene
