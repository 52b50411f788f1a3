// SPDX-License-Identifier: Apache-2.0
// How long before a provider is asked again, and when no more.
#include "agent/provider/retry_rules.hpp"

#include <gtest/gtest.h>

#include "support/scripted_random.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

// Proves: A8
TEST(RetryRules, WaitLongerEachTimeAndThenStop) {
    const retry_rules rules;
    scripted_random none{{0}};
    EXPECT_EQ(delay_before_retry(rules, 1, {}, none), 500ms);
    EXPECT_EQ(delay_before_retry(rules, 2, {}, none), 1s);
    EXPECT_EQ(delay_before_retry(rules, 3, {}, none), 2s);
    EXPECT_EQ(delay_before_retry(rules, 4, {}, none), std::nullopt);
    retry_rules patient;
    patient.attempts = 100;
    EXPECT_EQ(delay_before_retry(patient, 99, {}, none), 8s);
    for (int i = 0; i < 100; ++i) {
        const auto delay = delay_before_retry(rules, 1, {}, system_random());
        EXPECT_TRUE(delay && *delay >= 250ms && *delay <= 500ms);
    }
}

// Proves: A8
TEST(RetryRules, HonourWhatTheProviderAsksForUpToABound) {
    const retry_rules rules;
    scripted_random none{{0}};
    EXPECT_EQ(delay_before_retry(rules, 1, 7s, none), 7s);
    EXPECT_EQ(delay_before_retry(rules, 1, 1ms, none), 500ms);
    EXPECT_EQ(delay_before_retry(rules, 1, 30s, none), 30s);
    EXPECT_EQ(delay_before_retry(rules, 1, 30'001ms, none), std::nullopt);
}

TEST(RetryRules, ReadTheHeaders) {
    const auto read = [](std::string name, std::string value) {
        http_headers headers;
        headers.add(std::move(name), std::move(value));
        return retry_after_of(headers);
    };
    EXPECT_EQ(read("retry-after", "3"), 3s);
    EXPECT_EQ(read("retry-after", "0.25"), 250ms);
    EXPECT_EQ(read("retry-after-ms", "40"), 40ms);
    for (const char* nonsense : {"", "-1", "x", "1 s", "nan", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
        EXPECT_EQ(read("retry-after", nonsense), std::nullopt) << nonsense;
    }
    EXPECT_GT(*read("retry-after", "99999999999999999999"), 1h) << "bounded, not wrapped";
    EXPECT_GT(*read("retry-after", "inf"), 1h);
}

}  // namespace

}  // namespace convene
