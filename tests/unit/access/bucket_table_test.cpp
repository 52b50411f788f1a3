// SPDX-License-Identifier: Apache-2.0
// Token buckets: burst, refill, and memory that stays bounded.
#include "access/bucket_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr monotonic_time start{std::chrono::hours{1}};

// A burst goes at once; then one comes back in each span.
// Proves: X3
TEST(BucketTable, RefillsOneByOne) {
    bucket_table buckets{{.burst = 3, .refill = 10s}};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(buckets.take("a", start), 0ns);
    }
    EXPECT_EQ(buckets.take("a", start), 10s);
    EXPECT_EQ(buckets.take("a", start + 4s), 6s);
    EXPECT_EQ(buckets.take("a", start + 10s), 0ns);
    EXPECT_EQ(buckets.take("a", start + 10s), 10s);
    EXPECT_EQ(buckets.wait_of("a", start + 15s), 5s);
    EXPECT_EQ(buckets.wait_of("b", start), 0ns);
    // Long silence fills it, but not beyond its burst.
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(buckets.take("a", start + 1h), 0ns);
    }
    EXPECT_EQ(buckets.take("a", start + 1h), 10s);
}

// What is refused costs nothing: whoever waits as told gets through.
// Proves: X3
TEST(BucketTable, RefusalsCostNothing) {
    bucket_table buckets{{.burst = 1, .refill = 10s}};
    EXPECT_EQ(buckets.take("a", start), 0ns);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(buckets.take("a", start), 10s);
    }
    EXPECT_EQ(buckets.take("a", start + 10s), 0ns);
}

// What is given back can be taken again; a refilled bucket is as new.
// Proves: X3
TEST(BucketTable, TakesBack) {
    bucket_table buckets{{.burst = 2, .refill = 10s}};
    static_cast<void>(buckets.take("a", start));
    static_cast<void>(buckets.take("a", start));
    buckets.give_back("a");
    EXPECT_EQ(buckets.take("a", start), 0ns);
    EXPECT_EQ(buckets.take("a", start), 10s);
    buckets.refill("a");
    EXPECT_EQ(buckets.size(), 0u);
    EXPECT_EQ(buckets.take("a", start), 0ns);
    buckets.give_back("unknown");
    EXPECT_EQ(buckets.size(), 1u);
}

// However many keys come, only so many are kept; those that are nearly full go first.
// Proves: X3
TEST(BucketTable, StaysBounded) {
    bucket_table buckets{{.burst = 3, .refill = 10s, .most_keys = 100}};
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(buckets.take("attacker", start));
    }
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_EQ(buckets.take("key" + std::to_string(i), start), 0ns);
        ASSERT_LE(buckets.size(), 100u);
    }
    EXPECT_EQ(buckets.take("attacker", start), 10s);
    // What is full again is forgotten.
    static_cast<void>(buckets.take("a", start + 1h));
    EXPECT_EQ(buckets.size(), 1u);
}

}  // namespace

}  // namespace convene
