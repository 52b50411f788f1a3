// SPDX-License-Identifier: Apache-2.0
// The local database of a command: where it is, and opening it with failures that say what to do.
#pragma once

#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

#include "app/failure.hpp"
#include "store/store.hpp"

namespace convene {

/// The file of `sqlite:///relative.db` or `sqlite:////absolute.db`.
[[nodiscard]] outcome<std::filesystem::path> sqlite_path(std::string_view url);

/// Opens a database that exists, beside a writer if there is one.
[[nodiscard]] outcome<std::unique_ptr<conversation_store>> open_for_reading(
    loop& where, const std::filesystem::path& file
);

/// Opens a database as its one writing process. *Errors*: `database_in_use` names the process that has it.
[[nodiscard]] outcome<std::unique_ptr<conversation_store>> open_for_writing(
    loop& where, const std::filesystem::path& file, sqlite_creation creation
);

/// The process that writes the database, as it noted itself; empty if there is no such note.
[[nodiscard]] std::string noted_writer(const std::filesystem::path& file);

/// The lock file beside a database.
[[nodiscard]] std::filesystem::path lock_file_of(const std::filesystem::path& file);

}  // namespace convene
