// SPDX-License-Identifier: Apache-2.0
// The database of a command: opening it with failures that say what to do.
#pragma once

#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <filesystem>
#include <memory>

#include "app/database_place.hpp"
#include "store/store.hpp"

namespace convene {

/// Opens a database that exists, beside its writers if there are any.
[[nodiscard]] outcome<std::unique_ptr<conversation_store>> open_for_reading(
    loop& where, const database_place& place
);

/// Opens a file as its one writing process, or a server's database beside others that write. `creation` is for files;
/// on a server the layout is brought up to date. `worker`: whose sessions these are; empty for a tool that is none.
/// *Errors*: `database_in_use` names the process that has the file.
[[nodiscard]] outcome<std::unique_ptr<conversation_store>> open_for_writing(
    loop& where,
    const database_place& place,
    sqlite_creation creation,
    const incarnation_id& worker = {}
);

/// The process that writes the database, as it noted itself; empty if there is no such note.
[[nodiscard]] std::string noted_writer(const std::filesystem::path& file);

/// The lock file beside a database.
[[nodiscard]] std::filesystem::path lock_file_of(const std::filesystem::path& file);

}  // namespace convene
