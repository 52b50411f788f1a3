// SPDX-License-Identifier: Apache-2.0
// Login limits: by address, by account, and who shares one.
#include "access/login_limiter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "access/address_key.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr monotonic_time start{std::chrono::hours{1}};

login_limits small() {
    return {
        .by_address = {.burst = 3, .refill = 10s},
        .by_account = {.burst = 2, .refill = 20s},
    };
}

// An account is slow to guess from however many addresses, in whichever spelling; others are not touched.
// Proves: X3
TEST(LoginLimiter, LimitsAnAccount) {
    login_limiter limiter{small()};
    EXPECT_EQ(limiter.attempt("192.0.2.1", "ann@example.com", start), 0s);
    EXPECT_EQ(limiter.attempt("192.0.2.2", "ANN@example.com", start), 0s);
    EXPECT_EQ(limiter.attempt("192.0.2.3", "ann@example.com", start), 20s);
    EXPECT_EQ(limiter.attempt("192.0.2.3", "bob@example.com", start), 0s);
    EXPECT_EQ(limiter.attempt("192.0.2.3", "ann@example.com", start + 19s), 1s);
    EXPECT_EQ(limiter.attempt("192.0.2.3", "ann@example.com", start + 20s), 0s);
}

// An address is slow, whatever accounts it tries; a refusal by one bucket takes nothing from the other.
// Proves: X3
TEST(LoginLimiter, LimitsAnAddress) {
    login_limiter limiter{small()};
    for (const std::string account : {"a@x", "b@x", ""}) {
        EXPECT_EQ(limiter.attempt("192.0.2.1", account, start), 0s);
    }
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(limiter.attempt("192.0.2.1", "c@x", start), 10s);
    }
    EXPECT_EQ(limiter.attempt("192.0.2.2", "c@x", start), 0s);
    EXPECT_EQ(limiter.wait_of("192.0.2.1", "", start + 9500ms), 1s);
}

// Whoever logs in costs the address nothing and has a fresh account.
// Proves: X3
TEST(LoginLimiter, ForgetsAfterSuccess) {
    login_limiter limiter{small()};
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(limiter.attempt("192.0.2.1", "ann@x", start), 0s);
        limiter.succeeded("192.0.2.1", "Ann@x");
    }
}

// One subscriber is one address: all of an IPv6 /64, and IPv4 in whichever spelling.
// Proves: X3
TEST(AddressKey, IsWhatOneSubscriberHas) {
    EXPECT_EQ(address_key("2001:db8:1:2:3::1"), address_key("2001:0DB8:1:2:ffff::2"));
    EXPECT_NE(address_key("2001:db8:1:2::1"), address_key("2001:db8:1:3::1"));
    EXPECT_EQ(address_key("192.0.2.1"), address_key("::ffff:192.0.2.1"));
    EXPECT_NE(address_key("192.0.2.1"), address_key("192.0.2.2"));
    EXPECT_EQ(address_key("fe80::1%eth0"), address_key("fe80::2"));
    EXPECT_EQ(address_key("somewhere"), "somewhere");
    EXPECT_EQ(address_key(""), "");
}

}  // namespace

}  // namespace convene
