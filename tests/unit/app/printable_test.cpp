// SPDX-License-Identifier: Apache-2.0
// Tests of text for terminals.
#include "app/printable.hpp"

#include <gtest/gtest.h>

namespace convene {

namespace {

// Characters of every script stay as they are.
TEST(Printable, KeepsText) {
    EXPECT_EQ(
        printable("héllo こんにちは 👨‍👩‍👧 مرحبا"),
        "héllo こんにちは 👨‍👩‍👧 مرحبا"
    );
}

// Whatever could steer the terminal is spelled out: escape sequences, bells, C1 controls, DEL.
TEST(Printable, SpellsOutControls) {
    EXPECT_EQ(printable("\x1B[31mred\a"), "\\u{1b}[31mred\\u{7}");
    EXPECT_EQ(printable("a\x7F\u009Bm\rb\tc"), "a\\u{7f}\\u{9b}m\\u{d}b\\u{9}c");
}

// Marks that show text in another order than it is read can't hide what a file name is.
TEST(Printable, SpellsOutDirectionMarks) {
    EXPECT_EQ(printable("\u202Egnp.exe\u2066"), "\\u{202e}gnp.exe\\u{2066}");
}

// A second line is set off, so that it can't look like a message of its own.
TEST(Printable, SetsOffFurtherLines) {
    EXPECT_EQ(printable("one\ntwo", "> "), "one\n> two");
    EXPECT_EQ(printable("one\u2028two", "> "), "one\\u{2028}two");
}

TEST(Printable, ReplacesWhatIsNotUtf8) { EXPECT_EQ(printable("a\xFFz"), "a\uFFFDz"); }

// A name stands on one line.
TEST(PrintableName, HasNoLineEnd) { EXPECT_EQ(printable_name("a\nb"), "a\\u{a}b"); }

}  // namespace

}  // namespace convene
