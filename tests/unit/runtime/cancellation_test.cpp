// SPDX-License-Identifier: Apache-2.0
// Cancel sources: who is told, how often, and what may disappear while they are told.
#include "convene/cancellation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

namespace convene {
namespace {

/// Runs a function when it is told.
class calling_listener final : public cancel_listener {
   public:
    explicit calling_listener(std::function<void(errc)> then) : then_(std::move(then)) {}

    void on_cancel(errc reason) noexcept override { then_(reason); }

   private:
    std::function<void(errc)> then_;
};

/// Writes down every reason it is told.
class recording_listener final : public cancel_listener {
   public:
    void on_cancel(errc reason) noexcept override { told.push_back(reason); }

    std::vector<errc> told;
};

// Only the first request counts: its reason is kept, and a listener hears it once.
TEST(CancelSource, TellsItsFirstReasonOnce) {
    cancel_source source;
    recording_listener listener;
    source.attach(listener);
    EXPECT_FALSE(source.is_requested());
    source.request(errc::timed_out);
    source.request(errc::cancelled);
    EXPECT_TRUE(source.is_requested());
    EXPECT_EQ(source.reason(), errc::timed_out);
    EXPECT_EQ(listener.told, std::vector{errc::timed_out});
}

// A listener that comes after the request is told at once.
TEST(CancelSource, TellsALateListenerAtOnce) {
    cancel_source source;
    source.request(errc::lease_lost);
    recording_listener late;
    source.attach(late);
    EXPECT_EQ(late.told, std::vector{errc::lease_lost});
}

// A listener that was destroyed is not told, and the others still are.
TEST(CancelSource, ForgetsDestroyedListeners) {
    cancel_source source;
    recording_listener before;
    std::optional<recording_listener> between;
    between.emplace();
    recording_listener after;
    source.attach(before);
    source.attach(*between);
    source.attach(after);
    between.reset();
    source.request(errc::cancelled);
    EXPECT_EQ(before.told.size(), 1U);
    EXPECT_EQ(after.told.size(), 1U);
}

// What a listener does may destroy the one that would have been told next, and itself.
TEST(CancelSource, SurvivesListenersThatDestroyEachOther) {
    cancel_source source;
    std::optional<recording_listener> victim;
    victim.emplace();
    recording_listener last;
    std::optional<calling_listener> destroyer;
    destroyer.emplace([&](errc) {
        victim.reset();
        // Destroys the function that is running, so nothing of it may be used after this line.
        destroyer.reset();
    });
    source.attach(*destroyer);
    source.attach(*victim);
    source.attach(last);
    source.request(errc::cancelled);
    EXPECT_FALSE(destroyer.has_value());
    EXPECT_FALSE(victim.has_value());
    EXPECT_EQ(last.told.size(), 1U);
}

// A listener that attaches another while it is told has that one told as well.
TEST(CancelSource, TellsThoseThatAreAttachedMeanwhile) {
    cancel_source source;
    recording_listener added;
    calling_listener adds{[&](errc) { source.attach(added); }};
    source.attach(adds);
    source.request(errc::cancelled);
    EXPECT_EQ(added.told.size(), 1U);
}

// A source below another is requested with it, but not the other way round.
TEST(CancelSource, PassesRequestsDownOnly) {
    cancel_source parent;
    cancel_source first{&parent};
    cancel_source second{&parent};
    first.request(errc::timed_out);
    EXPECT_FALSE(parent.is_requested());
    EXPECT_FALSE(second.is_requested());
    parent.request(errc::lease_lost);
    EXPECT_EQ(second.reason(), errc::lease_lost);
    EXPECT_EQ(first.reason(), errc::timed_out);
}

// A source made below one that was requested is requested from the start.
TEST(CancelSource, StartsRequestedBelowARequestedParent) {
    cancel_source parent;
    parent.request(errc::timed_out);
    const cancel_source child{&parent};
    EXPECT_TRUE(child.is_requested());
    EXPECT_EQ(child.reason(), errc::timed_out);
}

// A source that ends before its listeners leaves them untold and free to go.
TEST(CancelSource, LeavesItsListenersBehindWhenItEnds) {
    recording_listener listener;
    {
        cancel_source source;
        source.attach(listener);
    }
    EXPECT_TRUE(listener.told.empty());
    cancel_source other;
    other.attach(listener);
    other.request(errc::cancelled);
    EXPECT_EQ(listener.told.size(), 1U);
}

}  // namespace
}  // namespace convene
