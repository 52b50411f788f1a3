// SPDX-License-Identifier: Apache-2.0
// The cache of credentials: short, bounded, never older than a change of this process.
#include "access/signed_in_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr monotonic_time start{std::chrono::hours{1}};

signed_in holder_of(const std::string& credential) {
    signed_in who;
    who.credential = secret_hash{credential};
    return who;
}

// It remembers for its lifetime, counted from before the store was asked.
// Proves: R18, X1
TEST(SignedInCache, ForgetsInTime) {
    signed_in_cache cache{2s};
    cache.put(holder_of("a"), cache.generation(), start);
    EXPECT_NE(cache.find(secret_hash{"a"}, start + 2s - 1ns), nullptr);
    EXPECT_EQ(cache.find(secret_hash{"a"}, start + 2s), nullptr);
    EXPECT_EQ(cache.find(secret_hash{"b"}, start), nullptr);
}

// A change empties it, and what was read before the change does not get in after it.
// Proves: R18, X1
TEST(SignedInCache, IsNeverOlderThanAChange) {
    signed_in_cache cache{2s};
    cache.put(holder_of("a"), cache.generation(), start);
    const std::uint64_t before = cache.generation();
    cache.forget_all();
    EXPECT_EQ(cache.find(secret_hash{"a"}, start), nullptr);
    cache.put(holder_of("a"), before, start);
    EXPECT_EQ(cache.find(secret_hash{"a"}, start), nullptr);
    cache.put(holder_of("a"), cache.generation(), start);
    EXPECT_NE(cache.find(secret_hash{"a"}, start), nullptr);
}

// It stays within its capacity.
// Proves: X1
TEST(SignedInCache, StaysBounded) {
    signed_in_cache cache{2s, 10};
    for (int i = 0; i < 100; ++i) {
        cache.put(holder_of(std::to_string(i)), cache.generation(), start);
        EXPECT_LE(cache.size(), 10u);
    }
    EXPECT_NE(cache.find(secret_hash{"99"}, start), nullptr);
}

}  // namespace

}  // namespace convene
