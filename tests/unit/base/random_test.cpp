// SPDX-License-Identifier: Apache-2.0
// Random numbers: in range, unbiased at the edges, and different from call to call.
#include "convene/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include "support/scripted_random.hpp"

namespace convene {

namespace {

// The first eight bytes are one number, most significant first: a seed replays on any machine.
TEST(Random, ReadsItsSourceBigEndian) {
    scripted_random source{{0, 0, 0, 0, 0, 1, 2, 3}};
    EXPECT_EQ(source.below(1'000'000'000), 0x010203U);
}

// 2^64 mod 3 is 1: of all numbers just 0 would favour a result, and is drawn again.
TEST(Random, DrawsABiasedNumberAgain) {
    scripted_random source{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5}};
    EXPECT_EQ(source.below(3), 2U);
    EXPECT_EQ(source.given(), 16U);
}

// A broken or scripted source must not hang a simulation.
TEST(Random, EndsWithASourceThatRepeatsItself) {
    scripted_random zeros{{0}};
    EXPECT_EQ(zeros.below(3), 0U);
}

TEST(Random, StaysBelowItsBound) {
    EXPECT_EQ(system_random().below(1), 0U);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(system_random().below(6));
    }
    EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_LT(
        system_random().below(std::numeric_limits<std::uint64_t>::max()),
        std::numeric_limits<std::uint64_t>::max()
    );
}

TEST(RandomDeathTest, NeedsABound) {
    EXPECT_DEATH(static_cast<void>(system_random().below(0)), "at least 1");
}

// Longer than the kernel gives at once when a signal comes in between.
TEST(SystemRandom, FillsEveryByte) {
    std::array<std::uint8_t, 1024> bytes{};
    system_random().fill(bytes);
    const std::set<std::uint8_t> values{bytes.begin(), bytes.end()};
    EXPECT_GT(values.size(), 128U);
    system_random().fill({});
}

}  // namespace

}  // namespace convene
