// SPDX-License-Identifier: Apache-2.0
// The layout of a PostgreSQL database: which steps it has taken, and how one worker of many takes the rest.
#pragma once

#include "convene/error.hpp"

#include <chrono>
#include <cstdint>
#include <span>

#include "store/postgres/session.hpp"
#include "store/sql/migration.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::postgres {

/// All steps, from version 1 on, without gaps. Made at build time from `migrations/postgres/`.
[[nodiscard]] std::span<const sql::migration> known_migrations();

/// Brings the layout up to date. One query if there is nothing to do. Else one process at a time does it, under
/// the lease `schema`; the others look again every 50 ms. Nobody waits inside the database: a waiter there would
/// stand in the way of an index that is built without a lock.
/// *Errors*: `schema_unknown`, `schema_too_new`, `timed_out` (another one holds the lease for longer than
/// `patience`), those of the database.
[[nodiscard]] result<> bring_up_to_date(session& database, std::chrono::milliseconds patience);

/// *Errors*: `not_found` where a step is missing, `schema_unknown`, `schema_too_new`, those of the database.
[[nodiscard]] result<> check_up_to_date(session& database);

/// 0 for an empty database.
[[nodiscard]] std::int32_t stored_schema_version(session& database);

// -- the index on (room, index) ----------------------------------------------------------------------

[[nodiscard]] bool is_event_index_unique(session& database);

/// Reads the whole index.
[[nodiscard]] sql::duplicate_indexes find_duplicate_indexes(session& database);

/// Makes the index unique where nothing stands against it; answers whether it is unique now. Writers of events wait
/// meanwhile. Best effort: where a writer was faster the next start tries again.
[[nodiscard]] bool try_to_make_event_index_unique(session& database);

/// *Requires*: no duplicates, and an open transaction. Writers of events wait until it ends.
void make_event_index_unique(session& database);

}  // namespace convene::postgres
