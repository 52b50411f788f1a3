// SPDX-License-Identifier: Apache-2.0
// The session's cookie, out and in.
#include "access/session_cookie.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace convene {

namespace {

using std::chrono::seconds;

// Scripts don't see it, other sites don't send it with what changes something, and plain connections don't carry
// it where there is TLS.
// Proves: X1
TEST(SessionCookie, IsClosedIn) {
    EXPECT_EQ(
        session_cookie("cvs_x", std::chrono::days{14}, transport_security::plain),
        "convene_session=cvs_x; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600"
    );
    EXPECT_EQ(
        session_cookie("cvs_x", seconds{5}, transport_security::tls),
        "convene_session=cvs_x; Path=/; HttpOnly; SameSite=Lax; Max-Age=5; Secure"
    );
    EXPECT_EQ(
        removed_session_cookie(transport_security::plain),
        "convene_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
    );
}

// It is found among others by its whole name.
// Proves: X1
TEST(SessionCookie, IsFoundAmongOthers) {
    EXPECT_EQ(session_secret_in("convene_session=abc"), "abc");
    EXPECT_EQ(session_secret_in("a=1; convene_session=abc; b=2"), "abc");
    EXPECT_EQ(session_secret_in("a=1;convene_session=abc"), "abc");
    EXPECT_EQ(session_secret_in("convene_session=abc; convene_session=abc"), "abc");
    EXPECT_EQ(session_secret_in("xconvene_session=abc; convene_session2=abc"), std::nullopt);
    EXPECT_EQ(session_secret_in("Convene_Session=abc"), std::nullopt);
    EXPECT_EQ(session_secret_in(""), std::nullopt);
    EXPECT_EQ(session_secret_in(";;;=;"), std::nullopt);
}

// Two that differ are none: one of them was put there by somebody else.
// Proves: X1
TEST(SessionCookie, IsRefusedWhenThereAreTwo) {
    EXPECT_EQ(session_secret_in("convene_session=abc; convene_session=def"), std::nullopt);
}

}  // namespace

}  // namespace convene
