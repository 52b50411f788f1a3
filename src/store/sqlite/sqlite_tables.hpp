// SPDX-License-Identifier: Apache-2.0
// The tables in a SQLite file: its full-text index, and the layout it can be asked for.
#pragma once

#include <span>
#include <string>

#include "store/sql/sql_tables.hpp"
#include "store/sqlite/connection.hpp"

namespace convene::sqlite {

/// *Thread safety*, *Lifetime*: as `sql_tables`.
class sqlite_tables final : public sql::sql_tables {
   public:
    sqlite_tables(connection& database, const wall_clock& clock)
        : sql_tables(database, clock), connection_(database) {}

   private:
    void add_words(const sql::indexed_words& words) override;
    void remove_words(const sql::indexed_words& words) override;
    [[nodiscard]] sql::query find_words(
        const std::string& scope,
        std::span<const std::string> words,
        std::int64_t below,
        std::size_t limit
    ) override;

    [[nodiscard]] bool is_event_index_unique() override;

    void keep_writers_out() override {}  // there is one

    void make_event_index_unique() override;
    [[nodiscard]] sql::duplicate_indexes find_duplicate_indexes() override;
    [[nodiscard]] std::int32_t stored_schema_version() override;

    /// One writer: transactions follow each other.
    void commit_notices_in_order() override {}

    [[nodiscard]] std::int64_t last_notice() override;

    /// One writer: nothing changes beside it.
    [[nodiscard]] std::string_view row_lock() const noexcept override { return ""; }

    connection& connection_;
};

}  // namespace convene::sqlite
