// SPDX-License-Identifier: Apache-2.0
// The tables in a PostgreSQL database: its index of words, its clock, and the layout it can be asked for.
#pragma once

#include "convene/time.hpp"

#include <optional>
#include <span>
#include <string>

#include "store/postgres/session.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::postgres {

/// The database's own time, one for each transaction: workers whose clocks differ agree on it (O4). Another clock
/// can be put in its place, for tests that move time by hand.
///
/// *Thread safety*: none. *Lifetime*: session and replacement outlive it.
class session_clock final : public wall_clock {
   public:
    session_clock(session& database, const wall_clock* replacement)
        : database_(database), replacement_(replacement) {}

    [[nodiscard]] wall_time now() const override;

    /// The next time asked for is that of another transaction.
    void start_transaction() noexcept { at_.reset(); }

   private:
    session& database_;
    const wall_clock* replacement_;
    mutable std::optional<wall_time> at_;
};

/// What the index of words holds of an event, as the text of an array.
[[nodiscard]] std::string array_of_words(const sql::indexed_words& words);

/// The key of the lock that whoever stores framework events holds until its transaction has ended: sequences are drawn
/// when a row is added, and rows are seen when their transaction commits, so without an order a reader could pass over a
/// number that is still to come.
[[nodiscard]] std::int64_t order_of_notices();

/// *Thread safety*, *Lifetime*: as `sql_tables`.
class postgres_tables final : public sql::sql_tables {
   public:
    postgres_tables(session& database, const wall_clock& clock)
        : sql_tables(database, clock), session_(database) {}

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
    void keep_writers_out() override;
    void make_event_index_unique() override;
    [[nodiscard]] sql::duplicate_indexes find_duplicate_indexes() override;
    [[nodiscard]] std::int32_t stored_schema_version() override;
    void commit_notices_in_order() override;
    [[nodiscard]] std::int64_t last_notice() override;

    [[nodiscard]] std::string_view row_lock() const noexcept override { return " FOR UPDATE"; }

    /// One statement for all runs.
    [[nodiscard]] std::vector<run_id> add_frames(const ops::append_frames& request) override;

    session& session_;
};

}  // namespace convene::postgres
