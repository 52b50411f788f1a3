// SPDX-License-Identifier: Apache-2.0
// The store of a single process: one SQLite file, written by one process, readable by others.
#pragma once

#include "convene/conversation_store.hpp"
#include "convene/error.hpp"
#include "convene/executor.hpp"
#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace convene {

enum class sqlite_access : std::uint8_t {
    read_write,  ///< as the one process that writes the file
    read_only,   ///< beside a writer, or alone; writing operations answer `unavailable`
};

enum class sqlite_creation : std::uint8_t {
    create_if_missing,
    must_exist,
};

struct sqlite_options {
    std::filesystem::path
        path;  ///< on a local disk: network file systems lack the locks that SQLite needs
    sqlite_access access = sqlite_access::read_write;
    sqlite_creation creation = sqlite_creation::create_if_missing;
    std::size_t reader_threads = 2;  ///< at least 1
    std::size_t
        write_queue_capacity = 4096;  ///< writes that wait; beyond it they answer `overloaded`
};

/// Opens the file, brings its layout up to date, and starts one thread that writes and a few that read.
///
/// **It blocks**, for as long as a migration takes: call it at start-up, before the loop runs.
///
/// For `read_write` it takes the lock of `<path>.lock` first and holds it until the store is closed. So no other
/// process that ever wrote the file is alive: every incarnation on record but `self` is set to dead. `self` may be
/// empty for a tool that is no worker.
///
/// A write is acknowledged when it is on disk (WAL, `synchronous=FULL`). Writes that wait together share one
/// transaction and one fsync.
/// *Lifetime*: `where` and `clock` outlive the store.
/// *Errors*, each logged with the remedy: `store_in_use` (another process writes the file), `schema_unknown` (not
/// our file; it was not touched), `schema_too_new`, `not_found` (missing, and not to be created), `corrupt_data`,
/// `store_busy`, `io_failed`, `invalid_argument` (no thread, no capacity).
[[nodiscard]] result<std::unique_ptr<conversation_store>> open_sqlite_store(
    executor& where,
    const wall_clock& clock,
    const sqlite_options& options,
    const incarnation_id& self
);

}  // namespace convene
