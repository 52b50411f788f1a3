// SPDX-License-Identifier: Apache-2.0
// The layout of a file: whether it is ours, which version it has, and how it becomes the current one.
#pragma once

#include "convene/error.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <span>

#include "store/sql/migration.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sqlite/connection.hpp"

namespace convene::sqlite {

/// All steps, from version 1 on, without gaps. Made at build time from `migrations/sqlite/`.
[[nodiscard]] std::span<const sql::migration> known_migrations();

enum class layout {
    empty,     ///< a new file
    outdated,  ///< ours, of an earlier version
    current,
};

/// Reads and changes nothing. One query, if there is nothing to do.
/// *Errors*: `schema_unknown` (not ours, or changed by others), `schema_too_new`; those of a file that can't be
/// read.
[[nodiscard]] result<layout> inspect_layout(connection& database);

/// Takes all missing steps in one transaction. *Requires*: `inspect_layout` succeeded, and nobody else writes.
[[nodiscard]] result<> migrate(connection& database, const wall_clock& clock);

/// 0 for an empty file.
[[nodiscard]] std::int32_t stored_schema_version(connection& database);

// -- the index on (room, index) ----------------------------------------------------------------------

[[nodiscard]] bool is_event_index_unique(connection& database);

/// Reads the whole index.
[[nodiscard]] sql::duplicate_indexes find_duplicate_indexes(connection& database);

/// *Requires*: no duplicates, and an open transaction.
void make_event_index_unique(connection& database);

/// On opening: makes the index unique if nothing stands against it, else warns and keeps a plain one.
[[nodiscard]] result<> settle_event_index(connection& database);

}  // namespace convene::sqlite
