// SPDX-License-Identifier: Apache-2.0
// What every store promises about a tenure: read and commit under the lock, fenced where needed.
#include "convene/lease.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;

/// The locks of this process, said to be visible to others too: such locks need the fence.
class visible_locks final : public lock_manager {
   public:
    explicit visible_locks(lock_manager& locks) : locks_(locks) {}

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override {
        return locks_.acquire(std::move(name), until);
    }

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override {
        return locks_.try_acquire(std::move(name));
    }

    [[nodiscard]] bool is_process_local() const noexcept override { return false; }

    [[nodiscard]] awaitable<result<>> close(deadline until) override { return locks_.close(until); }

   private:
    lock_manager& locks_;
};

class Tenure : public conformance {
   protected:
    void TearDown() override {
        EXPECT_TRUE(run_now(locks_->close(in(1s)))) << "a lease was left";
        conformance::TearDown();
    }

    [[nodiscard]] lock_manager& locks() { return *locks_; }

    /// Waits for the lock, where that is tried, so long that no machine is too slow for the rest.
    result<room_tenure> enter(
        const std::string& room,
        lock_manager& with,
        std::vector<std::string> keys = {},
        std::chrono::milliseconds patience = 30s
    ) {
        ops::load_room_head head{acme(), room_id{room}, std::move(keys)};
        return run_now(harness().store().enter_room(&with, std::move(head), in(patience)));
    }

    result<ops::commit::answer> commit(room_tenure& under, ops::commit batch, unlock_mode after) {
        return run_now(harness().store().commit(&under, std::move(batch), after));
    }

    bool is_free(const std::string& room) {
        auto tried = run_now(locks().try_acquire(lease_name::room(acme(), room_id{room})));
        if (!tried) {
            return false;
        }
        EXPECT_TRUE(run_now((*tried)->release()));
        return true;
    }

    static ops::commit one_message(const room_tenure& under, const std::string& id) {
        return batch_on{under.head.room}.add(make_message(id)).take();
    }

    template <class T>
    T run_now(awaitable<T> work) {
        return harness().where().run_until_done(std::move(work));
    }

   private:
    deadline in(std::chrono::nanoseconds span) { return deadline{harness().where().now() + span}; }

    std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(harness().where());
};

CONVENE_ON_EVERY_STORE(Tenure);

// Entering a room takes its lock and reads the room and the keys behind it.
// Proves: R6, R8
TEST_P(Tenure, ReadsTheRoomUnderItsLock) {
    create("r");
    room_event keyed = make_message("a");
    keyed.idempotency_key = "key";
    must(batch("r").add(keyed).take());
    auto entered = enter("r", locks(), {"key", "unknown"});
    ASSERT_TRUE(entered);
    EXPECT_EQ(entered->head.room.next_index, event_index{1});
    ASSERT_EQ(entered->head.hits.size(), 1u);
    EXPECT_EQ(entered->lock_epoch, std::nullopt) << "nobody else could write";
    EXPECT_FALSE(is_free("r"));
    EXPECT_TRUE(run_now(entered->lock->release()));
    EXPECT_TRUE(is_free("r"));
}

// A room that is not there can't be entered, and its lock is not kept.
// Proves: R6, X1
TEST_P(Tenure, LeavesNoLockOnAnAbsentRoom) {
    EXPECT_EQ(enter("absent", locks()).error(), errc::not_found);
    EXPECT_TRUE(is_free("absent"));
}

// The lock is waited for until the deadline and no longer.
// Proves: L3, R7
TEST_P(Tenure, WaitsForTheLockWithADeadline) {
    create("r");
    auto first = enter("r", locks());
    ASSERT_TRUE(first);
    EXPECT_EQ(enter("r", locks(), {}, 100ms).error(), errc::timed_out);
    EXPECT_TRUE(run_now(first->lock->release()));
    auto second = enter("r", locks());
    ASSERT_TRUE(second);
    EXPECT_TRUE(run_now(second->lock->release()));
}

// A tenure kept commits batch after batch; released, its lock is free once the commit is visible.
// Proves: R1, R6
TEST_P(Tenure, CommitsAndReleases) {
    create("r");
    auto entered = enter("r", locks());
    ASSERT_TRUE(entered);
    ASSERT_TRUE(commit(*entered, one_message(*entered, "a"), unlock_mode::keep));
    EXPECT_FALSE(is_free("r"));
    entered->head.room = get("r");
    ASSERT_TRUE(commit(*entered, one_message(*entered, "b"), unlock_mode::release));
    EXPECT_EQ(entered->lock, nullptr);
    EXPECT_TRUE(is_free("r"));
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("a", "b"));
}

// A commit that is refused leaves the lock with the caller, to decide again.
// Proves: R1
TEST_P(Tenure, KeepsTheLockAfterARefusal) {
    create("r");
    auto entered = enter("r", locks());
    ASSERT_TRUE(entered);
    ops::commit stale = one_message(*entered, "a");
    ++stale.expected_config;
    EXPECT_EQ(commit(*entered, stale, unlock_mode::release).error(), errc::room_changed);
    ASSERT_NE(entered->lock, nullptr);
    EXPECT_FALSE(is_free("r"));
    EXPECT_TRUE(commit(*entered, one_message(*entered, "a"), unlock_mode::release));
}

// Where others see the locks, each entering raises the fence, and a holder that was overtaken
// commits nothing.
// Proves: L7
TEST_P(Tenure, IsFencedWhereOthersSeeTheLocks) {
    create("r");
    visible_locks shared{locks()};
    auto zombie = enter("r", shared);
    ASSERT_TRUE(zombie);
    ASSERT_TRUE(zombie->lock_epoch.has_value());
    const std::int64_t successor = must(ops::raise_lock_epoch{acme(), room_id{"r"}});
    EXPECT_GT(successor, *zombie->lock_epoch);
    const auto late = commit(*zombie, one_message(*zombie, "late"), unlock_mode::release);
    EXPECT_EQ(late.error(), errc::room_changed);
    EXPECT_TRUE(run_now(zombie->lock->release()));
    EXPECT_TRUE(events_of("r").empty());

    auto next = enter("r", shared);
    ASSERT_TRUE(next);
    EXPECT_TRUE(commit(*next, one_message(*next, "next"), unlock_mode::release));
}

// A lease that was lost commits nothing, before anything is sent.
// Proves: L6, L7
TEST_P(Tenure, CommitsNothingWithoutItsLease) {
    create("r");
    auto entered = enter("r", locks());
    ASSERT_TRUE(entered);
    EXPECT_TRUE(run_now(entered->lock->release()));
    const auto late = commit(*entered, one_message(*entered, "late"), unlock_mode::keep);
    EXPECT_EQ(late.error(), errc::lease_lost);
    EXPECT_TRUE(events_of("r").empty());
}

}  // namespace

}  // namespace convene
