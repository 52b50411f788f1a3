// SPDX-License-Identifier: Apache-2.0
// Group commit without threads: many operations, one transaction, and a failed one takes no other with it.
#pragma once

#include "convene/error.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_tables.hpp"
#include "store/store.hpp"

namespace convene::sqlite {

using operations = std::span<const std::shared_ptr<operation>>;

/// Runs operations on one connection.
///
/// *Thread safety*: none. *Lifetime*: connection and clock outlive it.
class group_transaction {
   public:
    group_transaction(connection& database, const wall_clock& clock)
        : db_(database), tables_(database, clock) {}

    struct outcome {
        std::size_t count = 0;  ///< how many, from the first, were run
        result<> committed;     ///< an error is the answer of all of them; else each has its own
    };

    /// Runs operations until all have run or `span` is over, then commits. What an operation that answered an
    /// error had written is not stored. At least one operation is run.
    [[nodiscard]] outcome run(operations group, std::chrono::nanoseconds span);

   private:
    [[nodiscard]] outcome run_each_undoable(operations group);
    [[nodiscard]] result<> begin();
    [[nodiscard]] result<> commit();
    [[nodiscard]] error_code abandon();

    connection& db_;
    sqlite_tables tables_;
};

}  // namespace convene::sqlite
