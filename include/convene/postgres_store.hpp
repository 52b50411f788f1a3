// SPDX-License-Identifier: Apache-2.0
// The store of many processes: one PostgreSQL database that they share.
#pragma once

#include "convene/conversation_store.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace convene {

class loop;

enum class postgres_layout {
    bring_up_to_date,  ///< missing tables are made, missing steps taken
    must_exist,        ///< nothing is changed; an empty database is `not_found`
};

struct postgres_options {
    /// `postgresql://user@host/database?sslmode=verify-full` or `host=... dbname=...`, as libpq reads it. What it
    /// leaves out comes from the `PG*` variables.
    std::string address;
    /// The worker that uses the store: as long as one of its connections lives it is not dead (L10). Empty for a
    /// tool that is no worker.
    incarnation_id incarnation;
    std::size_t sessions = 4;  ///< connections for operations, at least 1
    /// The loop that the store is used on. With it, and with several sessions, one of them writes what deliveries came
    /// to, for all rooms together; without it each room's goes alone.
    loop* where = nullptr;
    postgres_layout layout = postgres_layout::bring_up_to_date;
    std::chrono::milliseconds migration_patience{60'000};  ///< for another process that migrates
    const wall_clock* clock = nullptr;  ///< instead of the database's: for tests that move time
};

/// Connects and brings the layout up to date, under a lease that one process at a time holds.
///
/// **It blocks**, for as long as a migration takes: call it at start-up, before the loop runs.
///
/// A write is acknowledged when it is on disk. A database that goes away later is connected to again; meanwhile
/// operations answer `unavailable` or `connection_lost`, and nothing that was acknowledged is lost.
///
/// Where duplicate rows keep `idx_events_room_index` from being unique the store starts anyway, warns, and shows it
/// in its figures (S3).
/// *Errors*, each logged with the remedy: `unavailable` (no connection), `not_found` (no tables, and none may be made;
/// or an older layout than this version reads), `schema_unknown` (not our tables; nothing
/// was touched), `schema_too_new`, `timed_out`, `invalid_argument` (no session).
[[nodiscard]] result<std::unique_ptr<conversation_store>> open_postgres_store(
    const postgres_options& options
);

}  // namespace convene
