// SPDX-License-Identifier: Apache-2.0
// The writer's thread and the hand-over between it and the loop: one wake-up for each group.
#include "store/sqlite/group_writer.hpp"

#include <iterator>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"

namespace convene::sqlite {

/// Resumes, on the loop, all who wait for a group.
class group_writer::answered_group final : public external_job {
   public:
    explicit answered_group(group answered) : answered_(std::move(answered)) {}

    void run() noexcept override {
        for (const std::shared_ptr<request>& one : answered_) {
            one->done.set();
        }
    }

   private:
    group answered_;
};

class group_writer::stopped_notice final : public external_job {
   public:
    explicit stopped_notice(wait_flag& stopped) : stopped_(stopped) {}

    void run() noexcept override { stopped_.set(); }

   private:
    wait_flag& stopped_;
};

group_writer::group_writer(
    executor& where,
    std::unique_ptr<connection> database,
    const wall_clock& clock,
    group_limits limits
)
    : where_(where),
      limits_(limits),
      database_(std::move(database)),
      transaction_(*database_, clock),
      thread_([this] { run(); }) {}

group_writer::~group_writer() {
    CONVENE_ASSERT(!thread_.joinable(), "a SQLite store was destroyed before it was closed");
}

// -- on the loop -------------------------------------------------------------------------------------

awaitable<void> group_writer::until_set(wait_flag* flag) {
    const result<> waited = co_await flag->wait();
    static_cast<void>(waited);  // it runs shielded: nothing ends the wait but the flag
}

awaitable<result<>> group_writer::write(std::shared_ptr<operation> work) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    auto added = std::make_shared<request>();
    added->work = std::move(work);
    {
        const std::scoped_lock lock{mutex_};
        if (waiting_.size() >= limits_.waiting) {
            co_return errc::overloaded;
        }
        waiting_.push_back(added);
    }
    wake_.notify_one();
    co_await shielded(until_set(&added->done));
    co_return added->outcome;
}

awaitable<void> group_writer::close() {
    is_closing_ = true;
    {
        const std::scoped_lock lock{mutex_};
        is_stopping_ = true;
    }
    wake_.notify_one();
    co_await shielded(until_set(&stopped_));
    if (thread_.joinable()) {
        thread_.join();
    }
}

// -- on the writer's thread --------------------------------------------------------------------------

void group_writer::run() noexcept {
    for (;;) {
        group taken = take_group();
        if (taken.empty()) {
            break;
        }
        write_group(std::move(taken));
        move_log_if_long();
    }
    // The last connection moves the log into the database, which may take a moment: not on the loop.
    database_.reset();
    where_.post_external(std::make_unique<stopped_notice>(stopped_));
}

/// Waits for work; empty when there is none and none will come.
group_writer::group group_writer::take_group() {
    std::unique_lock lock{mutex_};
    wake_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), limits_.operations));
    group taken(std::move_iterator{waiting_.begin()}, std::move_iterator{waiting_.begin() + count});
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    return taken;
}

void group_writer::write_group(group taken) {
    std::vector<std::shared_ptr<operation>> work;
    work.reserve(taken.size());
    for (const std::shared_ptr<request>& one : taken) {
        work.push_back(one->work);
    }
    const group_transaction::outcome outcome = transaction_.run(work, limits_.span);
    if (!outcome.committed) {
        log(log_level::error,
            "sqlite_commit_failed",
            {{"error", outcome.committed.error()},
             {"detail", database_->failure_text()},
             {"operations", outcome.count}});
    }
    const auto end_of_run = taken.begin() + static_cast<std::ptrdiff_t>(outcome.count);
    put_back(end_of_run, taken.end());
    taken.erase(end_of_run, taken.end());
    for (const std::shared_ptr<request>& one : taken) {
        one->outcome = outcome.committed;
    }
    where_.post_external(std::make_unique<answered_group>(std::move(taken)));
}

/// The time of a group was over before all of it had run.
void group_writer::put_back(group::iterator first, group::iterator last) {
    const std::scoped_lock lock{mutex_};
    waiting_.insert(waiting_.begin(), std::move_iterator{first}, std::move_iterator{last});
}

/// Between groups, so that nobody waits for it who does not have to.
void group_writer::move_log_if_long() {
    const std::int64_t pages = database_->wal_pages();
    if (pages < moved_pages_) {
        moved_pages_ = 0;  // the log started afresh
    }
    if (pages - moved_pages_ < limits_.wal_pages) {
        return;
    }
    database_->move_wal(
        pages < limits_.wal_pages_at_most ? wal_move::what_readers_allow
                                          : wal_move::wait_for_readers
    );
    moved_pages_ = pages;
}

}  // namespace convene::sqlite
