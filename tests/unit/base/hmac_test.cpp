// SPDX-License-Identifier: Apache-2.0
// HMAC: published vectors; comparing secrets.
#include "base/hmac.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

// Test cases 1, 2 and 6 of RFC 4231.
TEST(HmacSha256, GivesThePublishedCodes) {
    EXPECT_EQ(
        to_hex(hmac_sha256(std::string(20, '\x0B'), "Hi There")),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    EXPECT_EQ(
        to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    EXPECT_EQ(
        to_hex(hmac_sha256(
            std::string(131, '\xAA'), "Test Using Larger Than Block-Size Key - Hash Key First"
        )),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    );
}

// Equal is equal, byte by byte.
// Proves: X1
TEST(IsEqualSecret, ComparesWhole) {
    EXPECT_TRUE(is_equal_secret("abc", "abc"));
    EXPECT_TRUE(is_equal_secret("", ""));
    EXPECT_FALSE(is_equal_secret("abc", "abd"));
    EXPECT_FALSE(is_equal_secret("abc", "ab"));
}

}  // namespace

}  // namespace convene
