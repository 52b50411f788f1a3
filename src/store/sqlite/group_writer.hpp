// SPDX-License-Identifier: Apache-2.0
// The one thread that writes: takes all that waits, stores it in one transaction, answers.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/time.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/group_transaction.hpp"

namespace convene::sqlite {

struct group_limits {
    std::size_t waiting = 4096;          ///< operations in the queue
    std::size_t operations = 512;        ///< in one transaction
    std::chrono::milliseconds span{20};  ///< of one transaction, before its fsync
    std::int64_t wal_pages = 4096;       ///< in the log before they are moved into the database
    std::int64_t wal_pages_at_most = 65'536;  ///< from here on the move waits for readers
};

/// Writes operations in the order they came.
///
/// *Thread safety*: loop only; the thread is its own. *Lifetime*: closed before it is destroyed.
class group_writer {
   public:
    group_writer(
        executor& where,
        std::unique_ptr<connection> database,
        const wall_clock& clock,
        group_limits limits
    );
    ~group_writer();

    group_writer(const group_writer&) = delete;
    group_writer& operator=(const group_writer&) = delete;

    /// Stores the operation; its answer holds once this succeeds. *Cancellation*: none: what was queued is
    /// written and answered. *Errors*: `overloaded` (the queue is full), `unavailable` (closing), those of a
    /// transaction that could not be committed.
    [[nodiscard]] awaitable<result<>> write(std::shared_ptr<operation> work);

    /// Writes what waits, moves the log into the database and ends the thread. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    struct request {
        std::shared_ptr<operation> work;
        result<> outcome;
        wait_flag done;
    };

    using group = std::vector<std::shared_ptr<request>>;

    class answered_group;
    class stopped_notice;

    static awaitable<void> until_set(wait_flag* flag);

    // on the writer's own thread
    void run() noexcept;
    [[nodiscard]] group take_group();
    void write_group(group taken);
    void put_back(group::iterator first, group::iterator last);
    void move_log_if_long();

    // fixed after construction
    executor& where_;
    const group_limits limits_;

    // touched by the writer's thread only
    std::unique_ptr<connection> database_;
    group_transaction transaction_;
    std::int64_t moved_pages_ = 0;  ///< of the log, when it was last moved

    // touched on the loop only
    bool is_closing_ = false;
    wait_flag stopped_;

    // shared, guarded by `mutex_`
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<request>> waiting_;
    bool is_stopping_ = false;

    std::thread thread_;
};

}  // namespace convene::sqlite
