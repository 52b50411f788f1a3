// SPDX-License-Identifier: Apache-2.0
// The notice feed: whoever waits hears of what is stored, and the store is asked once for all.
#include "live/notice_feed.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "store/operations/subscriptions.hpp"
#include "support/kit_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

class NoticeFeed : public testing::Test {
   protected:
    ~NoticeFeed() override {
        waits_.request_stop();
        loop_.run(waits_.join());
    }

    void tell() {
        framework_event notice;
        notice.type = "told";
        const auto stored = loop_.run(world_.store->run(ops::append_notices{{notice}}));
        EXPECT_TRUE(stored.has_value());
    }

    static awaitable<void> keep(
        std::optional<result<std::int64_t>>* into,
        notice_feed* feed,
        std::int64_t after,
        deadline until
    ) {
        into->emplace(co_await feed->beyond(after, until));
    }

    void wait(std::optional<result<std::int64_t>>* into, std::int64_t after, deadline until) {
        waits_.spawn("wait", keep(into, &feed_, after, until));
        loop_.run_ready();
    }

    manual_loop loop_;
    shared_world world_;
    store_view store_{world_.stored};
    notice_feed feed_{store_, {}};
    task_scope waits_{loop_};
};

// What is there already is told at once; what comes is told within a look.
// Proves: R19
TEST_F(NoticeFeed, TellsOfWhatIsStored) {
    tell();
    std::optional<result<std::int64_t>> heard;
    wait(&heard, 0, deadline::never());
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->value(), 1);
    heard.reset();
    wait(&heard, 1, deadline::never());
    EXPECT_FALSE(heard.has_value());
    tell();
    loop_.advance(500ms);
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->value(), 2);
}

// Any number of readers costs the store one look an interval.
// Proves: R19
TEST_F(NoticeFeed, AsksTheStoreOnceForAll) {
    std::vector<std::optional<result<std::int64_t>>> heard(50);
    for (auto& one : heard) {
        wait(&one, 0, deadline::never());
    }
    const int before = store_.counts["get_last_notice"];
    loop_.advance(10s);
    EXPECT_LE(store_.counts["get_last_notice"] - before, 20);
    tell();
    loop_.advance(500ms);
    for (const auto& one : heard) {
        EXPECT_TRUE(one.has_value());
    }
}

// A wait ends at its deadline, and when the worker goes away.
// Proves: R19, O3
TEST_F(NoticeFeed, EndsWhenNothingComes) {
    std::optional<result<std::int64_t>> heard;
    wait(&heard, 0, deadline{loop_.now() + 3s});
    loop_.advance(3s);
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->value(), 0);
    heard.reset();
    wait(&heard, 0, deadline::never());
    EXPECT_FALSE(heard.has_value());
    feed_.end_all();
    loop_.run_ready();
    ASSERT_TRUE(heard.has_value());
    EXPECT_TRUE(feed_.has_ended());
}

}  // namespace
}  // namespace convene
