// SPDX-License-Identifier: Apache-2.0
// The threads that read, each with a connection of its own.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "store/calls_under_way.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_tables.hpp"
#include "store/store.hpp"

namespace convene::sqlite {

/// Runs reading operations beside the writer. Each sees one state of the database: at least all that was
/// acknowledged before it was asked for.
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed, unless nothing was read.
class reader_pool {
   public:
    /// One thread for each connection. *Requires*: at least one.
    reader_pool(std::vector<std::unique_ptr<connection>> databases, const wall_clock& clock);

    /// *Cancellation*: at any time; the read goes on to its end and its answer is dropped.
    /// *Errors*: `overloaded`, `unavailable` (closing), those of a database that can't be read.
    [[nodiscard]] awaitable<result<>> read(std::shared_ptr<operation> work);

    /// Lets reads that are waited for end, interrupts the others, and closes the connections. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    struct reader {
        reader(std::unique_ptr<connection> opened, const wall_clock& clock)
            : database(std::move(opened)), tables(*database, clock) {}

        std::unique_ptr<connection> database;
        sqlite_tables tables;
    };

    [[nodiscard]] result<> run(operation& work);
    [[nodiscard]] reader& borrow();
    void give_back(reader& borrowed);

    // fixed after construction, until it is closed
    std::vector<std::unique_ptr<reader>> readers_;

    // touched on the loop only
    bool is_closing_ = false;
    calls_under_way calls_;

    // shared, guarded by `mutex_`
    std::mutex mutex_;
    std::vector<reader*> free_;

    // the last member: its threads use the others
    std::unique_ptr<blocking_pool> threads_;
};

}  // namespace convene::sqlite
