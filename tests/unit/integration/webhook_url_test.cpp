// SPDX-License-Identifier: Apache-2.0
// Which URLs a webhook may have.
#include "integration/webhook_url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

std::string refusal(std::string_view url) {
    const checked<> usable = check_webhook_url(url, "url");
    return usable ? "" : std::string{word_of(usable.error().reason)};
}

// Absolute http and https URLs with a host are taken as they are.
// Proves: X2
TEST(WebhookUrl, TakesWhatNamesAHost) {
    EXPECT_EQ(refusal("https://example.com"), "");
    EXPECT_EQ(refusal("http://example.com:8080/a/b?c=d@e#f"), "");
    EXPECT_EQ(refusal("https://[2001:db8::1]/x"), "");
}

// What could be read in two ways, or leads elsewhere than it says, is refused.
// Proves: X2
TEST(WebhookUrl, RefusesTheRest) {
    EXPECT_EQ(refusal(""), "empty");
    EXPECT_EQ(refusal("https://" + std::string(2048, 'a')), "too_long");
    for (const char* url :
         {"ftp://example.com",
          "example.com",
          "https://",
          "https:///path",
          "https://:80",
          "https://user@example.com",
          "https://user:secret@example.com/x",
          "https://a\\@b",
          "https://exa mple.com",
          "https://example.com/\n",
          "https://b\xc3\xbc"
          "cher.example"}) {
        EXPECT_EQ(refusal(url), "unsupported_url") << url;
    }
}

}  // namespace
}  // namespace convene
