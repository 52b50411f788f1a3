// SPDX-License-Identifier: Apache-2.0
// Log lines: one event one line, whatever is in its fields.
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace convene {

namespace {

/// Collects lines, without the time at their start, and restores the log.
class log_test : public testing::Test {
   protected:
    log_test() {
        set_log_sink([this](log_level level, std::string_view line) {
            levels_.push_back(level);
            lines_.emplace_back(line);
        });
    }

    ~log_test() override {
        set_log_sink({});
        set_log_level(log_level::info);
        set_log_format(log_format::text);
    }

    std::string last_without_time() {
        const std::string& line = lines_.back();
        return line.substr(line.find(' ') + 1);
    }

    std::vector<log_level> levels_;
    std::vector<std::string> lines_;
};

TEST_F(log_test, WritesTimeLevelEventAndFields) {
    log(log_level::warn,
        "lease_lost",
        {{"room", room_id{"r-1"}},
         {"index", event_index{7}},
         {"count", 3U},
         {"delta", -2},
         {"ratio", 0.5},
         {"held", false},
         {"name", std::string{"x"}},
         {"error", make_error_code(errc::room_closed)}});
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(levels_.front(), log_level::warn);
    EXPECT_EQ(
        last_without_time(),
        "warn lease_lost room=r-1 index=7 count=3 delta=-2 ratio=0.5 held=false name=x "
        "error=room_closed"
    );
    EXPECT_EQ(lines_[0].substr(4, 1), "-");
    EXPECT_EQ(lines_[0].find("Z warn"), std::string_view{"2026-01-31T09:05:00.000000"}.size());
}

// A user's text must not forge a line or a field.
TEST_F(log_test, QuotesWhatCouldBeMisread) {
    log(log_level::info, "e", {{"a", "x y"}, {"b", ""}, {"c", "k=v"}, {"d", "\"\\"}});
    EXPECT_EQ(last_without_time(), R"(info e a="x y" b="" c="k=v" d="\"\\")");
    log(log_level::info, "e", {{"a", "1\n2026 info forged"}, {"b", "\x1B[31m"}, {"c", "caf\xE9"}});
    EXPECT_EQ(
        last_without_time(), "info e a=\"1\\n2026 info forged\" b=\"\\u001b[31m\" c=\"caf\uFFFD\""
    );
}

TEST_F(log_test, WritesJson) {
    set_log_format(log_format::json);
    log(log_level::error,
        "disk \"full\"",
        {{"free", std::numeric_limits<std::uint64_t>::max()},
         {"ratio", std::numeric_limits<double>::infinity()},
         {"on", true},
         {"n", -1},
         {"error", make_error_code(errc::io_failed)},
         {"text", "a\nb"}});
    const std::string& line = lines_.back();
    EXPECT_EQ(line.substr(0, 9), R"({"time":")");
    EXPECT_EQ(
        line.substr(line.find(R"("level")")),
        R"("level":"error","event":"disk \"full\"","free":"18446744073709551615","ratio":"inf",)"
        R"("on":true,"n":-1,"error":"io_failed","text":"a\nb"})"
    );
}

TEST_F(log_test, DropsLinesBelowItsLevel) {
    log(log_level::debug, "dropped");
    set_log_level(log_level::trace);
    log(log_level::trace, "kept");
    set_log_level(log_level::off);
    log(log_level::error, "dropped");
    log(log_level::off, "dropped");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(last_without_time(), "trace kept");
    EXPECT_FALSE(is_log_enabled(log_level::error));
    EXPECT_FALSE(is_log_enabled(log_level::off));
}

// An error of somebody else's category is shown by its message.
TEST_F(log_test, ShowsForeignErrorsByMessage) {
    const error_code missing = boost::system::errc::make_error_code(
        boost::system::errc::no_such_file_or_directory
    );
    log(log_level::info, "e", {{"error", missing}});
    EXPECT_EQ(last_without_time(), R"(info e error="No such file or directory")");
}

// A sink that throws loses its line and nothing else.
TEST_F(log_test, SurvivesAFailingSink) {
    set_log_sink([](log_level, std::string_view) { throw std::runtime_error{"disk full"}; });
    testing::internal::CaptureStderr();
    log(log_level::info, "e");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "a log line was lost: disk full\n");
}

TEST_F(log_test, WritesToStderrUnlessToldOtherwise) {
    set_log_sink({});
    testing::internal::CaptureStderr();
    log(log_level::info, "hello", {{"a", 1}});
    const std::string written = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(written.ends_with("Z info hello a=1\n")) << written;
}

TEST(LogLevel, HasWords) {
    for (const std::string_view word : {"trace", "debug", "info", "warn", "error", "off"}) {
        const auto level = log_level_of(word);
        ASSERT_TRUE(level);
        EXPECT_EQ(word_of(*level), word);
    }
    EXPECT_EQ(log_level_of("loud"), std::nullopt);
}

}  // namespace

}  // namespace convene
