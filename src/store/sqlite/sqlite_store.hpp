// SPDX-License-Identifier: Apache-2.0
// The SQLite store: the conversation store port in front of one writer and a few readers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/sqlite/file_guard.hpp"
#include "store/sqlite/group_writer.hpp"
#include "store/sqlite/reader_pool.hpp"
#include "store/store.hpp"

namespace convene::sqlite {

/// What an opened store is made of.
struct store_parts {
    std::optional<file_guard> guard;       ///< with the writer
    std::unique_ptr<group_writer> writer;  ///< null: opened read-only
    std::unique_ptr<reader_pool> readers;
};

/// *Thread safety*, *Lifetime*: as `conversation_store`.
class sqlite_store final : public conversation_store {
   public:
    explicit sqlite_store(store_parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] awaitable<void> close() override;

    [[nodiscard]] std::string name() const override { return "SqliteStore"; }

    /// The guard keeps other writers away: locks of this process are enough (L12).
    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return false; }

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override;

   private:
    // In the order in which they are built: the guard outlives the connections.
    store_parts parts_;
};

}  // namespace convene::sqlite
