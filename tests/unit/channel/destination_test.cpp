// SPDX-License-Identifier: Apache-2.0
// Destinations: what is remembered about them stays bounded.
#include "channel/destination.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace convene {
namespace {

struct remembered {
    bool is_needed = false;

    [[nodiscard]] bool is_idle(monotonic_time /*now*/) const { return !is_needed; }
};

constexpr monotonic_time now{std::chrono::hours{1}};

destination numbered(int n) { return {channel_id{"sms"}, std::to_string(n)}; }

// Ten thousand destinations are used once each: only a few are remembered.
// Proves: D12
TEST(DestinationMap, ForgetsIdleEntries) {
    destination_map<remembered> map;
    for (int n = 0; n < 10'000; ++n) {
        static_cast<void>(map.at(numbered(n), now));
    }
    EXPECT_LE(map.size(), 64U);
}

// Entries that are needed stay, where they are, however many others come and go.
// Proves: D12
TEST(DestinationMap, KeepsEntriesThatAreNeeded) {
    destination_map<remembered> map;
    remembered& kept = map.at(numbered(-1), now);
    kept.is_needed = true;
    for (int n = 0; n < 1'000; ++n) {
        static_cast<void>(map.at(numbered(n), now));
    }
    EXPECT_EQ(map.find(numbered(-1)), &kept);
    EXPECT_EQ(map.find(numbered(5'000)), nullptr);
}

// The same address on two channels, and the channel itself, are three destinations.
// Proves: D12
TEST(DestinationMap, TellsChannelsAndAddressesApart) {
    destination_map<remembered> map;
    map.at({channel_id{"sms"}, "1"}, now).is_needed = true;
    EXPECT_FALSE(map.at({channel_id{"mail"}, "1"}, now).is_needed);
    EXPECT_FALSE(map.at({channel_id{"sms"}, ""}, now).is_needed);
}

}  // namespace
}  // namespace convene
