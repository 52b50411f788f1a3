// SPDX-License-Identifier: Apache-2.0
// The append file: what is in the file after appends, restarts, torn lines and refusals.
#include "channel/append_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/temporary_folder.hpp"

namespace convene {
namespace {

class AppendFile : public testing::Test {
   protected:
    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "deliveries.jsonl"; }

    [[nodiscard]] std::string read() const {
        std::ifstream in{file(), std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

    void append(std::string_view lines) const {
        const auto opened = append_file::open(file());
        ASSERT_TRUE(opened.has_value());
        EXPECT_TRUE((*opened)->append(lines).has_value());
    }

    temporary_folder folder_;
};

// A file is made, and goes on where it ended when it is opened again.
TEST_F(AppendFile, GoesOnAfterARestart) {
    append("a\n");
    append("b\nc\n");
    EXPECT_EQ(read(), "a\nb\nc\n");
}

// A crash cut the last line off: what comes next begins on a line of its own.
TEST_F(AppendFile, BeginsANewLineAfterATornOne) {
    std::ofstream{file()} << "whole\ntor";
    append("next\n");
    append("last\n");
    EXPECT_EQ(read(), "whole\ntor\nnext\nlast\n");
}

// Two processes have the file open: neither overwrites the other.
TEST_F(AppendFile, LeavesTheLinesOfOthersAlone) {
    const auto first = append_file::open(file());
    const auto second = append_file::open(file());
    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_TRUE((*first)->append("a\n").has_value());
    EXPECT_TRUE((*second)->append("b\n").has_value());
    EXPECT_TRUE((*first)->append("c\n").has_value());
    EXPECT_EQ(read(), "a\nb\nc\n");
}

// Where no file can be: refused when it is opened.
TEST_F(AppendFile, RefusesAFileThatCannotBeOpened) {
    EXPECT_EQ(append_file::open(folder_.path() / "missing" / "file").error(), errc::io_failed);
    EXPECT_EQ(append_file::open(folder_.path()).error(), errc::io_failed);
}

// The device has no room: the caller hears of it.
TEST(AppendFileOnAFullDevice, ReportsWhatCouldNotBeWritten) {
    const auto full = append_file::open("/dev/full");
    ASSERT_TRUE(full.has_value());
    EXPECT_EQ((*full)->append("a\n").error(), errc::io_failed);
}

}  // namespace
}  // namespace convene
