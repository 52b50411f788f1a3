// SPDX-License-Identifier: Apache-2.0
// Positions on the wire.
#include "live/tail_position.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace convene {
namespace {

// The id of a frame is the index, and tells the counting once a room was repaired.
// Proves: R18
TEST(TailPosition, IsSpelledAsFrozen) {
    EXPECT_EQ((tail_position{0, event_index{12}}.text()), "12");
    EXPECT_EQ((tail_position{3, event_index{12}}.text()), "3-12");
    EXPECT_EQ((tail_position{0, event_index::none()}.text()), "-1");
    EXPECT_EQ((tail_position{1, event_index::none()}.text()), "1--1");
}

// What it spells, it reads.
// Proves: R18
TEST(TailPosition, ReadsWhatItSpells) {
    for (const tail_position& position :
         {tail_position{0, event_index{0}},
          tail_position{0, event_index::none()},
          tail_position{2, event_index{900'000'000'000}},
          tail_position{7, event_index::none()}}) {
        EXPECT_EQ(tail_position::parse(position.text()), position);
    }
}

// Anything else is no position: a client is told so instead of being sent the wrong events.
// Proves: R18
TEST(TailPosition, RefusesWhatIsNone) {
    for (const std::string_view text :
         {"", "-", "-2", "x", "1x", "1-", "-1-2", "0-1", "1-2-3", " 1", "1 ", "99999999999999999999"
         }) {
        EXPECT_FALSE(tail_position::parse(text)) << text;
    }
}

}  // namespace
}  // namespace convene
