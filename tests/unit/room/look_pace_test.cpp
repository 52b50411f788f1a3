// SPDX-License-Identifier: Apache-2.0
// When a cursor that another worker moves is looked at again.
#include "room/look_pace.hpp"

#include <gtest/gtest.h>

namespace convene {
namespace {

using std::chrono::milliseconds;

/// A pace by script: the cursor as it was seen so long after the look before.
class looks {
   public:
    milliseconds after(milliseconds span, std::int64_t delivered, std::int64_t nearest) {
        now_ += span;
        return pace_.after(event_index{delivered}, event_index{nearest}, now_);
    }

   private:
    monotonic_time now_{};
    look_pace pace_{now_};
};

// Of a cursor that stands still there is less and less to expect, and yet it is looked at.
// Proves: D10
TEST(LookPace, SlowsDownWhileNothingMoves) {
    looks seen;
    EXPECT_EQ(seen.after(milliseconds{10}, 3, 4), milliseconds{20});
    EXPECT_EQ(seen.after(milliseconds{20}, 3, 4), milliseconds{40});
    EXPECT_EQ(seen.after(milliseconds{120}, 3, 4), look_pace::slowest);
    EXPECT_EQ(seen.after(look_pace::slowest, 3, 4), look_pace::slowest);
}

// Of one that moves it is known when it comes to what is waited for.
// Proves: D10
TEST(LookPace, LooksWhenTheEventIsDue) {
    looks seen;
    seen.after(milliseconds{10}, 3, 20);
    EXPECT_EQ(seen.after(milliseconds{20}, 7, 20), milliseconds{65}) << "13 more at 5 ms each";
    EXPECT_EQ(seen.after(milliseconds{65}, 19, 20), look_pace::quickest);
    EXPECT_EQ(seen.after(milliseconds{10}, 20, 1'000'000), look_pace::slowest);
    EXPECT_EQ(seen.after(look_pace::slowest, 21, 22), look_pace::slowest);
}

// It begins to move after a long time: the look after that one is quick again.
// Proves: D10
TEST(LookPace, IsQuickAgainWhereMuchHasMoved) {
    looks seen;
    seen.after(milliseconds{10}, 3, 60);
    EXPECT_EQ(seen.after(milliseconds{200}, 3, 60), look_pace::slowest);
    EXPECT_EQ(seen.after(milliseconds{200}, 58, 60), look_pace::quickest);
}

// Where duplicates are taken out of a timeline its cursor goes back: nothing follows from that.
// Proves: D10
TEST(LookPace, BearsACursorThatGoesBack) {
    looks seen;
    seen.after(milliseconds{10}, 9, 12);
    EXPECT_EQ(seen.after(milliseconds{20}, 5, 12), milliseconds{40});
}

}  // namespace
}  // namespace convene
