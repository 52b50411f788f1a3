// SPDX-License-Identifier: Apache-2.0
// Base64: each form has one text for each value.
#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace convene {

namespace {

// Bytes come back from their text, and only from the one text that stands for them.
// Proves: X1
TEST(Base64, HasOneFormForEachValue) {
    using enum base64_form;
    for (std::size_t size = 0; size < 50; ++size) {
        const std::vector<std::uint8_t> bytes(size, 0xFB);
        for (const base64_form form : {standard, padded, url}) {
            const std::string text = to_base64(bytes, form);
            EXPECT_EQ(from_base64(text, form), bytes) << text;
        }
        EXPECT_EQ(to_base64(bytes, standard).find('='), std::string::npos);
        EXPECT_EQ(to_base64(bytes, padded).size() % 4, 0u);
    }
    for (const char* text :
         {"A", "AA=", "AA==", "AB", " AA", "AA\n", "A A", "-_8", "AAAAA", "=", "===="}) {
        EXPECT_FALSE(from_base64(text, standard).has_value()) << text;
    }
    for (const char* text : {"AA", "AA=", "AB==", "AA==\n", "-_8=", "AAAA====", "A===", "=AAA"}) {
        EXPECT_FALSE(from_base64(text, padded).has_value()) << text;
    }
    for (const char* text : {"A", "+/8", "-_8=", "AB", "A A"}) {
        EXPECT_FALSE(from_base64(text, url).has_value()) << text;
    }
}

TEST(Base64, WritesEachForm) {
    const std::vector<std::uint8_t> bytes{0xFB, 0xFF};
    EXPECT_EQ(to_base64(bytes, base64_form::standard), "+/8");
    EXPECT_EQ(to_base64(bytes, base64_form::padded), "+/8=");
    EXPECT_EQ(to_base64(bytes, base64_form::url), "-_8");
}

}  // namespace

}  // namespace convene
