// SPDX-License-Identifier: Apache-2.0
// The log with real threads: lines do not mix, and settings may change under way.
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace convene {

namespace {

TEST(LogConcurrency, KeepsLinesOfThreadsApart) {
    constexpr int threads = 4;
    constexpr int lines_each = 500;
    std::size_t whole_lines = 0;
    set_log_sink([&](log_level, std::string_view line) {
        const bool is_text = line.ends_with(" text=x");
        const bool is_json = line.starts_with('{') && line.ends_with(R"("text":"x"})");
        whole_lines += is_text || is_json ? 1 : 0;
    });
    std::vector<std::thread> writers;
    for (int i = 0; i < threads; ++i) {
        writers.emplace_back([i] {
            for (int n = 0; n < lines_each; ++n) {
                set_log_format(n % 2 == 0 ? log_format::text : log_format::json);
                log(log_level::info, "line", {{"thread", i}, {"n", n}, {"text", "x"}});
            }
        });
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    set_log_sink({});
    set_log_format(log_format::text);
    EXPECT_EQ(whole_lines, std::size_t{threads} * lines_each);
}

}  // namespace

}  // namespace convene
