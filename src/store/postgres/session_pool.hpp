// SPDX-License-Identifier: Apache-2.0
// The threads that run operations, each on a PostgreSQL session of its own.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/calls_under_way.hpp"
#include "store/postgres/postgres_tables.hpp"
#include "store/store.hpp"

namespace convene::postgres {

/// Runs operations, each in a transaction of its own: as if it ran alone, however many run beside it (the
/// database's serializable isolation; one that failed because of others is run again, a few times).
///
/// A session that broke is replaced when its next operation comes; while the database can't be reached, operations
/// answer `unavailable`, and a thread tries again no more often than every 250 ms.
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed, unless nothing ran.
class session_pool {
   public:
    /// `size` sessions (at least 1), connected when they are needed. `replacement`: see `session_clock`.
    session_pool(const session_options& options, std::size_t size, const wall_clock* replacement);
    ~session_pool();

    /// *Cancellation*: a read may be left at any time, its answer is dropped; a write runs to its end.
    /// *Errors*: `overloaded`, `unavailable` (closing, or no database), `store_busy` (too many beside it),
    /// `connection_lost` (nothing was changed), `outcome_unknown`.
    [[nodiscard]] awaitable<result<>> run(std::shared_ptr<operation> work);

    /// Lets operations that are waited for end and closes the sessions. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    class member;

    awaitable<result<>> run_on_thread(std::shared_ptr<operation> work);
    [[nodiscard]] member& borrow();
    void give_back(member& borrowed);

    // fixed after construction, until it is closed
    std::vector<std::unique_ptr<member>> members_;

    // touched on the loop only
    bool is_closing_ = false;
    calls_under_way calls_;

    // shared, guarded by `mutex_`
    std::mutex mutex_;
    std::vector<member*> free_;

    // the last member: its threads use the others
    std::unique_ptr<blocking_pool> threads_;
};

}  // namespace convene::postgres
