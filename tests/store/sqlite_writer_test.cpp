// SPDX-License-Identifier: Apache-2.0
// The SQLite store's thread that writes: grouping, back-pressure, cancellation and closing.
#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"
#include "convene/task_scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/store_fixtures.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

namespace {

using testing::Each;

/// Counts how often another thread wakes the loop.
class counting_executor final : public executor {
   public:
    explicit counting_executor(executor& inner) : inner_(inner) {}

    void post(job& work) noexcept override { inner_.post(work); }

    void arm(timer& t, monotonic_time at) noexcept override { inner_.arm(t, at); }

    [[nodiscard]] monotonic_time now() const noexcept override { return inner_.now(); }

    void post_external(std::unique_ptr<external_job> work) override {
        ++wake_ups_;
        inner_.post_external(std::move(work));
    }

    [[nodiscard]] int wake_ups() const { return wake_ups_; }

   private:
    executor& inner_;
    std::atomic<int> wake_ups_ = 0;
};

class SqliteWriter : public testing::Test {
   protected:
    SqliteWriter() { open(4096); }

    ~SqliteWriter() override { loop_.run_until_done(store_->close()); }

    void open(std::size_t capacity) {
        if (store_) {
            loop_.run_until_done(store_->close());
        }
        store_ = open_sqlite_store(
                     counted_,
                     clock_,
                     {.path = path(), .write_queue_capacity = capacity},
                     incarnation_id{}
        )
                     .value();
    }

    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(Op request) {
        return loop_.run_until_done(store_->run(std::move(request)));
    }

    /// Creates rooms at once, while another connection keeps the writer from its first transaction.
    /// Answers what each came to.
    std::vector<error_code> create_while_blocked(std::size_t count) {
        return loop_.run_until_done(create_rooms(count));
    }

    awaitable<std::vector<error_code>> create_rooms(std::size_t count) {
        const auto blocker = sqlite::connection::open(path(), sqlite::open_mode::read_write)
                                 .value();
        blocker->run("BEGIN IMMEDIATE");
        std::vector<error_code> answers(count, errc::unavailable);
        task_scope scope{loop_};
        for (std::size_t i = 0; i < count; ++i) {
            scope.spawn("create", create_room(i, &answers[i]));
        }
        // All are queued before the writer may begin.
        const result<> yielded = co_await yield_turn();
        EXPECT_TRUE(yielded);
        blocker->roll_back();
        co_await scope.join();
        co_return answers;
    }

    awaitable<void> create_room(std::size_t number, error_code* answer) {
        ops::create_room create{make_room("room-" + std::to_string(number)), {}, {}};
        const auto created = co_await store_->run(std::move(create));
        *answer = created ? error_code{} : created.error();
    }

    [[nodiscard]] std::int64_t count_rooms() { return run(ops::read_figures{}).value().rooms; }

    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "rooms.db"; }

    temporary_folder folder_;
    loop loop_;
    counting_executor counted_{loop_};
    manual_wall_clock clock_;
    std::unique_ptr<conversation_store> store_;
};

// 64 writes of different rooms that wait together share a transaction or two, and the loop is
// woken as often.
// Proves: S5
TEST_F(SqliteWriter, AnswersGroupsWithOneWakeUp) {
    const int before = counted_.wake_ups();
    EXPECT_THAT(create_while_blocked(64), Each(error_code{}));
    EXPECT_LE(counted_.wake_ups() - before, 2);
    EXPECT_EQ(count_rooms(), 64);
}

// The queue is full: whoever comes then is told at once, and the others are written.
// Proves: S5
TEST_F(SqliteWriter, RefusesWhatTheQueueCannotHold) {
    open(4);
    const std::vector<error_code> answers = create_while_blocked(64);
    const auto stored = std::ranges::count(answers, error_code{});
    EXPECT_GE(stored, 4);
    EXPECT_EQ(std::ranges::count(answers, error_code{errc::overloaded}), 64 - stored);
    EXPECT_EQ(count_rooms(), stored);
}

// What was answered is seen by every read that follows, whichever thread reads.
// Proves: S1, S5
TEST_F(SqliteWriter, ReadsSeeOwnWrites) {
    run(ops::create_room{make_room("r"), {}, {}}).value();
    for (std::int64_t i = 0; i < 50; ++i) {
        const room read = run(ops::get_room{acme(), room_id{"r"}}).value();
        ASSERT_EQ(read.event_count, i);
        run(batch_on{read}.add(make_message("m" + std::to_string(i))).take()).value();
    }
}

// The caller's deadline passes after a write was queued: it is written and answered all the same.
// Proves: S1, R7
TEST_F(SqliteWriter, FinishesWhatWasSent) {
    ops::create_room create{make_room("r"), {}, {}};
    const auto written = loop_.run_until_done(
        with_deadline(deadline{loop_.now()}, store_->run(std::move(create)))
    );
    EXPECT_TRUE(written);
    EXPECT_TRUE(run(ops::get_room{acme(), room_id{"r"}}));
}

// A closed store refuses reads and writes, and closing it again does nothing.
// Proves: S1, O3
TEST_F(SqliteWriter, RefusesWorkOnceClosed) {
    loop_.run_until_done(store_->close());
    EXPECT_EQ(run(ops::create_room{make_room("r"), {}, {}}).error(), errc::unavailable);
    EXPECT_EQ(run(ops::get_room{acme(), room_id{"r"}}).error(), errc::unavailable);
    loop_.run_until_done(store_->close());
}

// Closing moves everything into the one file: what lies beside it is not needed to copy it.
// Proves: S5
TEST_F(SqliteWriter, LeavesOneFileBehind) {
    run(ops::create_room{make_room("r"), {}, {}}).value();
    loop_.run_until_done(store_->close());
    EXPECT_FALSE(std::filesystem::exists(path().native() + "-wal"));
    open(4096);
    EXPECT_EQ(count_rooms(), 1);
}

}  // namespace

}  // namespace convene
