// SPDX-License-Identifier: Apache-2.0
// The line batcher: what shares a write, in which order, and what a cancelled line leaves behind.
#include "channel/line_batcher.hpp"

#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using texts = std::vector<std::string>;

constexpr seconds write_time{1};

class LineBatcher : public testing::Test {
   protected:
    ~LineBatcher() override { loop_.run(scope_.join()); }

    [[nodiscard]] line_batcher batcher_of(std::size_t most_lines) {
        return line_batcher{
            [this](std::string lines) { return write(this, std::move(lines)); }, most_lines
        };
    }

    /// Adds a line; the place where its outcome will be.
    const std::optional<result<>>& add(line_batcher& to, std::string line) {
        const auto& outcome = outcomes_.emplace_back(std::make_unique<std::optional<result<>>>());
        scope_.spawn("line", keep(outcome.get(), to.add(std::move(line))));
        loop_.run_ready();
        return *outcome;
    }

    void finish_write() { loop_.advance(write_time); }

    texts written_;
    result<> write_answer_;
    manual_loop loop_;
    std::vector<std::unique_ptr<std::optional<result<>>>> outcomes_;
    task_scope scope_{loop_};

   private:
    /// A disk that takes its time for each write.
    static awaitable<result<>> write(LineBatcher* self, std::string lines) {
        self->written_.push_back(std::move(lines));
        const result<> waited = co_await sleep_for(write_time);
        EXPECT_TRUE(waited.has_value()) << "a write was cancelled";
        co_return self->write_answer_;
    }

    static awaitable<void> keep(std::optional<result<>>* into, awaitable<result<>> work) {
        into->emplace(co_await std::move(work));
    }
};

// One line alone is written at once, and reported when the write has ended.
TEST_F(LineBatcher, WritesALoneLineAtOnce) {
    line_batcher batcher = batcher_of(10);
    const auto& outcome = add(batcher, "a\n");
    EXPECT_EQ(written_, texts{"a\n"});
    EXPECT_FALSE(outcome.has_value());
    finish_write();
    ASSERT_TRUE(outcome.has_value());
    EXPECT_TRUE(outcome->has_value());
}

// Three lines come during a write: they share the next one, in their order.
TEST_F(LineBatcher, WritesTogetherWhatCameDuringAWrite) {
    line_batcher batcher = batcher_of(10);
    add(batcher, "a\n");
    add(batcher, "b\n");
    add(batcher, "c\n");
    const auto& last = add(batcher, "d\n");
    EXPECT_EQ(written_, texts{"a\n"});
    finish_write();
    EXPECT_EQ(written_, (texts{"a\n", "b\nc\nd\n"}));
    EXPECT_FALSE(last.has_value());
    finish_write();
    EXPECT_TRUE(last.has_value());
}

// A full batch is followed by another one; the order stays that of the lines.
TEST_F(LineBatcher, KeepsBatchesWithinTheirSize) {
    line_batcher batcher = batcher_of(2);
    for (const char* line : {"a\n", "b\n", "c\n", "d\n", "e\n", "f\n"}) {
        add(batcher, line);
    }
    for (int i = 0; i < 4; ++i) {
        finish_write();
    }
    EXPECT_EQ(written_, (texts{"a\n", "b\nc\n", "d\ne\n", "f\n"}));
    for (const auto& outcome : outcomes_) {
        EXPECT_TRUE(outcome->has_value());
    }
}

// One line to a write: none shares.
TEST_F(LineBatcher, SharesNothingWhenOneLineIsTheMost) {
    line_batcher batcher = batcher_of(1);
    add(batcher, "a\n");
    add(batcher, "b\n");
    add(batcher, "c\n");
    for (int i = 0; i < 3; ++i) {
        finish_write();
    }
    EXPECT_EQ(written_, (texts{"a\n", "b\n", "c\n"}));
}

// A write fails: each line of its batch hears of it, the next batch is written all the same.
TEST_F(LineBatcher, ReportsAFailedWriteToItsWholeBatch) {
    line_batcher batcher = batcher_of(10);
    add(batcher, "a\n");
    const auto& second = add(batcher, "b\n");
    const auto& third = add(batcher, "c\n");
    finish_write();
    write_answer_ = errc::io_failed;
    finish_write();
    EXPECT_EQ(second->error(), errc::io_failed);
    EXPECT_EQ(third->error(), errc::io_failed);
    write_answer_ = {};
    const auto& fourth = add(batcher, "d\n");
    finish_write();
    EXPECT_TRUE(fourth->has_value());
}

// All are cancelled while the first batch is being written: followers leave at once, and each line
// is still written, because the opener of a batch stays.
TEST_F(LineBatcher, WritesTheLinesOfTheCancelled) {
    line_batcher batcher = batcher_of(10);
    add(batcher, "a\n");
    add(batcher, "b\n");
    const auto& follower = add(batcher, "c\n");
    scope_.request_stop();
    loop_.run_ready();
    ASSERT_TRUE(follower.has_value());
    EXPECT_EQ(follower->error(), errc::cancelled);
    finish_write();
    finish_write();
    EXPECT_EQ(written_, (texts{"a\n", "b\nc\n"}));
    EXPECT_EQ(scope_.size(), 0U);
}

// More waits than memory should hold: refused, and taken again once there is room.
TEST_F(LineBatcher, RefusesLinesBeyondItsCapacity) {
    line_batcher batcher = batcher_of(1'000'000);
    const std::string big(std::size_t{9} << 20U, 'x');
    add(batcher, "a\n");
    add(batcher, big);
    const auto& refused = add(batcher, big);
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->error(), errc::overloaded);
    finish_write();
    EXPECT_FALSE(add(batcher, big).has_value());
    finish_write();
    finish_write();
    EXPECT_EQ(written_.size(), 3U);
}

}  // namespace
}  // namespace convene
