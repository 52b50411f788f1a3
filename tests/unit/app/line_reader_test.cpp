// SPDX-License-Identifier: Apache-2.0
// Tests of reading lines.
#include "app/import/line_reader.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace convene {

namespace {

constexpr std::size_t max_line = 1000;

class LineReader : public testing::Test {
   protected:
    LineReader() {
        const int descriptor = ::mkstemp(path_.data());
        ::close(descriptor);
    }

    ~LineReader() override { std::filesystem::remove(path_); }

    /// All lines of a file with these bytes.
    std::vector<line_reader::line> lines_of(const std::string& bytes) {
        std::ofstream{path_, std::ios::binary} << bytes;
        auto reader = line_reader::open(path_, max_line);
        EXPECT_TRUE(reader);
        std::vector<line_reader::line> all;
        for (;;) {
            auto batch = (*reader)->read();
            EXPECT_TRUE(batch);
            for (line_reader::line& line : batch->lines) {
                all.push_back(std::move(line));
            }
            if (batch->is_last) {
                EXPECT_EQ(batch->bytes_read, static_cast<std::int64_t>(bytes.size()));
                return all;
            }
        }
    }

    std::string path_ = std::filesystem::temp_directory_path() / "convene_lines_XXXXXX";
};

TEST_F(LineReader, NumbersLinesFromOne) {
    const auto lines = lines_of("one\n\nthree\n");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[2].number, 3);
    EXPECT_EQ(lines[2].text, "three");
}

// The last line may lack its end; an end with nothing behind it begins no line.
TEST_F(LineReader, TakesALastLineWithoutEnd) {
    EXPECT_EQ(lines_of("one\ntwo").size(), 2U);
    EXPECT_EQ(lines_of("one\ntwo\n").size(), 2U);
    EXPECT_TRUE(lines_of("").empty());
}

// Lines are whole however the reads cut them.
TEST_F(LineReader, JoinsWhatReadsCutApart) {
    std::string bytes;
    for (int i = 0; i < 2000; ++i) {
        bytes += std::string(static_cast<std::size_t>(i % 700), 'x') + '\n';
    }
    const auto lines = lines_of(bytes);
    ASSERT_EQ(lines.size(), 2000U);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ASSERT_EQ(lines[i].text.size(), i % 700);
    }
}

// A line beyond the limit is named without being kept, and the next one is whole: memory stays bounded.
TEST_F(LineReader, DropsALineThatIsTooLong) {
    const auto lines = lines_of("a\n" + std::string(1'000'000, 'x') + "\nb\n");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(lines[1].is_too_long);
    EXPECT_TRUE(lines[1].text.empty());
    EXPECT_FALSE(lines[2].is_too_long);
    EXPECT_EQ(lines[2].text, "b");
    EXPECT_FALSE(lines_of(std::string(max_line, 'x')).front().is_too_long);
    EXPECT_TRUE(lines_of(std::string(max_line + 1, 'x')).front().is_too_long);
}

TEST_F(LineReader, LeavesOutAByteOrderMark) {
    EXPECT_EQ(lines_of("\xEF\xBB\xBF{}\n").front().text, "{}");
}

}  // namespace

}  // namespace convene
