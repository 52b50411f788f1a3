// SPDX-License-Identifier: Apache-2.0
// Assertions: they pass in silence, and abort with place and text.
#include "base/assert.hpp"

#include <gtest/gtest.h>

namespace convene {

namespace {

// A true condition costs nothing but its evaluation, which happens once.
TEST(Assert, EvaluatesATrueConditionOnce) {
    int evaluations = 0;
    CONVENE_ASSERT(++evaluations == 1, "is evaluated once");
    EXPECT_EQ(evaluations, 1);
}

// A false one ends the process, and the last line says where and what.
TEST(AssertDeathTest, AbortsWithFileLineAndText) {
    EXPECT_DEATH(
        CONVENE_ASSERT(1 + 1 == 3, "arithmetic is broken"),
        R"(assert_test\.cpp:[0-9]+: assertion failed: arithmetic is broken)"
    );
}

#ifdef NDEBUG
// In a release build a costly condition is not evaluated.
TEST(Assert, SkipsADebugConditionInRelease) {
    int evaluations = 0;
    CONVENE_DEBUG_ASSERT(++evaluations == 0, "is not evaluated");
    EXPECT_EQ(evaluations, 0);
}
#else
// In a debug build it is an assertion like any other.
TEST(AssertDeathTest, ChecksADebugConditionInDebug) {
    EXPECT_DEATH(CONVENE_DEBUG_ASSERT(false, "costly"), "costly");
}
#endif

}  // namespace

}  // namespace convene
