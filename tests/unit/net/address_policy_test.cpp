// SPDX-License-Identifier: Apache-2.0
// Which addresses are public, in every spelling that leads to them, and what a policy allows besides.
#include "net/address_policy.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace convene {
namespace {

net_address address(std::string_view text) {
    const std::optional<net_address> parsed = net_address::parse(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed.value_or(net_address::v4(0));
}

// The first, the last and an inner address of each closed range.
// Proves: X2
TEST(AddressPolicy, ClosesSpecialIpv4Ranges) {
    for (const std::string_view closed :
         {"0.0.0.0",         "0.255.255.255",   "10.0.0.0",        "10.255.255.255",
          "100.64.0.0",      "100.100.100.200", "100.127.255.255", "127.0.0.1",
          "127.255.255.255", "168.63.129.16",   "169.254.0.0",     "169.254.169.254",
          "169.254.255.255", "172.16.0.0",      "172.31.255.255",  "192.0.0.1",
          "192.0.0.192",     "192.0.2.1",       "192.88.99.1",     "192.168.0.0",
          "192.168.255.255", "198.18.0.0",      "198.19.255.255",  "198.51.100.7",
          "203.0.113.7",     "224.0.0.0",       "239.255.255.255", "240.0.0.1",
          "255.255.255.255"}) {
        EXPECT_FALSE(is_public_address(address(closed))) << closed;
    }
}

// The neighbours of each closed range.
TEST(AddressPolicy, OpensWhatLiesBesideThem) {
    for (const std::string_view open :
         {"1.0.0.0",
          "9.255.255.255",
          "11.0.0.0",
          "100.63.255.255",
          "100.128.0.0",
          "126.255.255.255",
          "128.0.0.0",
          "168.63.129.15",
          "168.63.129.17",
          "169.253.255.255",
          "169.255.0.0",
          "172.15.255.255",
          "172.32.0.0",
          "192.0.1.0",
          "192.167.255.255",
          "192.169.0.0",
          "198.17.255.255",
          "198.20.0.0",
          "203.0.112.255",
          "203.0.114.0",
          "223.255.255.255",
          "8.8.8.8",
          "2001:4860:4860::8888",
          "2606:4700::1111",
          "2a00::1"}) {
        EXPECT_TRUE(is_public_address(address(open))) << open;
    }
}

// Proves: X2
TEST(AddressPolicy, ClosesSpecialIpv6Ranges) {
    for (const std::string_view closed :
         {"::",
          "::1",
          "fc00::1",
          "fd00:ec2::254",
          "fdff::1",
          "fe80::1",
          "febf::1",
          "fec0::1",
          "ff02::1",
          "ff0e::1",
          "100::1",
          "2001:db8::1",
          "2001:2::1",
          "2001:10::1",
          "3fff::1",
          "4000::1",
          "64:ff9b:1::1"}) {
        EXPECT_FALSE(is_public_address(address(closed))) << closed;
    }
}

// An IPv4 address in IPv6 clothes is judged as the IPv4 address.
// Proves: X2
TEST(AddressPolicy, SeesThroughTranslatedForms) {
    for (const std::string_view closed :
         {"::ffff:127.0.0.1",
          "::ffff:169.254.169.254",
          "::ffff:10.0.0.1",
          "::127.0.0.1",
          "::ffff:0:127.0.0.1",
          "64:ff9b::127.0.0.1",
          "64:ff9b::169.254.169.254",
          "64:ff9b::c0a8:1",
          "2002:7f00:1::",
          "2002:a00:1::1",
          "2002:c0a8:1::1",
          // Teredo, whose last four bytes are inverted
          "2001:0:4136:e378:8000:63bf:80ff:fffe",
          "2001:0:4136:e378:8000:63bf:f7f7:f7f7"}) {
        EXPECT_FALSE(is_public_address(address(closed))) << closed;
    }
    for (const std::string_view open : {"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"}) {
        EXPECT_TRUE(is_public_address(address(open))) << open;
    }
    EXPECT_EQ(address("::ffff:8.8.8.8"), address("8.8.8.8"));
}

// Spellings that resolvers of other programs take for addresses are none.
TEST(AddressPolicy, ParsesOnlyPlainSpellings) {
    for (const std::string_view no_address :
         {"",
          "127.1",
          "0177.0.0.1",
          "0x7f.0.0.1",
          "2130706433",
          "127.0.0.1 ",
          " 127.0.0.1",
          "127.0.0.1.",
          "[::1]",
          "::1%lo",
          "fe80::1%eth0",
          ":::",
          "1.2.3.4.5",
          "256.1.1.1"}) {
        EXPECT_FALSE(net_address::parse(no_address).has_value()) << no_address;
    }
    EXPECT_FALSE(net_address::parse(std::string_view{"127.0.0.1\0x", 11}).has_value());
}

// A range holds what begins with its prefix, to the bit.
TEST(AddressPolicy, AllowsRanges) {
    address_policy policy;
    ASSERT_FALSE(policy.allow_range("10.1.0.0/15").has_value());
    ASSERT_TRUE(policy.allow_range("10.2.0.0/15").has_value());
    ASSERT_TRUE(policy.allow_range("127.0.0.1").has_value());
    ASSERT_TRUE(policy.allow_range("fd00:1::/32").has_value());
    EXPECT_TRUE(policy.allows("a", address("10.2.0.1")));
    EXPECT_TRUE(policy.allows("a", address("10.3.255.255")));
    EXPECT_TRUE(policy.allows("a", address("::ffff:10.3.0.1")));
    EXPECT_FALSE(policy.allows("a", address("10.4.0.0")));
    EXPECT_TRUE(policy.allows("a", address("127.0.0.1")));
    EXPECT_FALSE(policy.allows("a", address("127.0.0.2")));
    EXPECT_TRUE(policy.allows("a", address("fd00:1::7")));
    EXPECT_FALSE(policy.allows("a", address("fd00:2::7")));
    EXPECT_TRUE(policy.allows("a", address("8.8.8.8")));
}

TEST(AddressPolicy, RefusesMalformedRanges) {
    address_policy policy;
    for (const std::string_view malformed :
         {"",
          "/8",
          "10.0.0.0/",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0.0/8x",
          "10.0.0.1/8",
          "fd00::/129",
          "fd00::1/64",
          "localhost",
          "10.0.0.0/8/8"}) {
        EXPECT_EQ(policy.allow_range(malformed).error(), errc::invalid_argument) << malformed;
    }
}

// A host is allowed by its name in any case, with or without the last dot, and no other name with it.
// Proves: X2
TEST(AddressPolicy, AllowsHostsByName) {
    address_policy policy;
    policy.allow_host("Intranet.example");
    EXPECT_TRUE(policy.allows("intranet.EXAMPLE", address("10.0.0.1")));
    EXPECT_TRUE(policy.allows("intranet.example.", address("10.0.0.1")));
    EXPECT_FALSE(policy.allows("evil-intranet.example", address("10.0.0.1")));
    EXPECT_FALSE(policy.allows("intranet.example.evil", address("10.0.0.1")));
    EXPECT_FALSE(address_policy{}.allows("intranet.example", address("10.0.0.1")));
}

}  // namespace
}  // namespace convene
