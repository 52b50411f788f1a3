// SPDX-License-Identifier: Apache-2.0
// The line of the sessions that wait for a lock: who goes first, and for how long the others let it.
#include "lease/waiting_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace convene {
namespace {

using namespace std::chrono_literals;

constexpr monotonic_time start{1h};
constexpr std::int64_t key = 7;
constexpr std::int64_t other_key = 8;
constexpr waiting_line::waiter first{11, start - 30ms};
constexpr waiting_line::waiter second{12, start - 20ms};
constexpr waiting_line::waiter third{13, start - 10ms};

// Whoever says so first, and however often: who has waited longest goes first.
// Proves: L3
TEST(WaitingLine, TheLongestWaiterGoesFirst) {
    waiting_line line;
    line.enter(key, third, start);
    line.enter(key, second, start);
    line.enter(key, first, start);
    line.enter(key, third, start + 100ms);
    EXPECT_EQ(line.ahead_of(key, first, start + 150ms), 0);
    EXPECT_EQ(line.ahead_of(key, second, start + 150ms), 1);
    EXPECT_EQ(line.ahead_of(key, third, start + 150ms), 2);
    EXPECT_EQ(line.ahead_of(other_key, third, start + 150ms), 0);
}

// Also one that has not said anything yet.
// Proves: L3
TEST(WaitingLine, WhoHadItsTurnGoesBehindAllWhoWait) {
    waiting_line line;
    line.enter(key, first, start);
    line.enter(key, second, start);
    line.leave(key, first.session);
    EXPECT_EQ(line.ahead_of(key, second, start), 0);
    const waiting_line::waiter again{first.session, start + 1ms};
    EXPECT_EQ(line.ahead_of(key, again, start + 1ms), 1);
    line.enter(key, again, start + 1ms);
    EXPECT_EQ(line.ahead_of(key, again, start + 1ms), 1);
    EXPECT_EQ(line.ahead_of(key, second, start + 1ms), 0);
}

// The word of its turn was not heard: that it began to wait after its last word tells the same.
// Proves: L3
TEST(WaitingLine, WhoWaitsAnewHasHadItsTurn) {
    waiting_line line;
    line.enter(key, first, start);
    line.enter(key, second, start);
    line.enter(key, {first.session, start + 50ms}, start + 51ms);
    EXPECT_EQ(line.ahead_of(key, second, start + 51ms), 0);
}

// Proves: L3
TEST(WaitingLine, AWordThatComesLateMakesNobodyYounger) {
    waiting_line line;
    line.enter(key, first, start);
    line.enter(key, {first.session, start - 5ms}, start + 145ms);
    EXPECT_EQ(line.place_of(key, first.session, start + 145ms), first.since);
    EXPECT_EQ(line.ahead_of(key, second, start + 145ms), 1);
}

// Proves: L3
TEST(WaitingLine, WhoFallsSilentIsNotWaitedFor) {
    waiting_line line;
    line.enter(key, first, start);
    // Words that are late, or lost, cost nobody its place.
    EXPECT_EQ(line.ahead_of(key, second, start + 599ms), 1);
    EXPECT_EQ(line.place_of(key, first.session, start + 599ms), first.since);
    EXPECT_EQ(line.ahead_of(key, second, start + 600ms), 0);
    EXPECT_EQ(line.place_of(key, first.session, start + 600ms), std::nullopt);
}

// However long the line is, and whatever those before it do.
// Proves: L3
TEST(WaitingLine, NobodyLetsOthersGoFirstForLong) {
    waiting_line line;
    for (int i = 0; i < 100; ++i) {
        const waiting_line::waiter one{i, start + i * 1ms};
        EXPECT_EQ(line.courtesy(key, one, start + 100ms), std::min(i, 3) * 150ms);
        line.enter(key, one, start + 100ms);
    }
    EXPECT_EQ(line.courtesy(key, {0, start}, start + 100ms), 0ms);
    EXPECT_EQ(line.courtesy(key, {1, start + 1ms}, start + 100ms), 150ms);
    EXPECT_EQ(line.courtesy(key, {99, start + 99ms}, start + 100ms), 450ms);
}

// Proves: L3
TEST(WaitingLine, TellsWhetherOthersWait) {
    waiting_line line;
    EXPECT_FALSE(line.is_wanted_by_others(key, first.session, start));
    line.enter(key, first, start);
    EXPECT_FALSE(line.is_wanted_by_others(key, first.session, start));
    line.enter(key, second, start);
    EXPECT_TRUE(line.is_wanted_by_others(key, first.session, start));
    EXPECT_FALSE(line.is_wanted_by_others(key, first.session, start + 600ms));
}

// Names of which nobody speaks any more cost nothing.
// Proves: L3
TEST(WaitingLine, ForgetsWhatNobodyWants) {
    waiting_line line;
    for (std::int64_t one = 0; one < 1000; ++one) {
        line.enter(one, first, start);
    }
    line.leave(0, first.session);
    line.leave(0, first.session);
    EXPECT_EQ(line.size(), 999U);
    line.enter(other_key, second, start + 600ms);
    EXPECT_EQ(line.size(), 1U);
    EXPECT_FALSE(line.is_wanted_by_others(other_key, second.session, start + 600ms));
}

}  // namespace
}  // namespace convene
