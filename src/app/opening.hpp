// SPDX-License-Identifier: Apache-2.0
// Where the rooms of a command are: its database, or the server that it was given.
#pragma once

#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <memory>

#include "app/command.hpp"
#include "app/conversations.hpp"

namespace convene {

/// A database that exists, beside its writer if there is one; or the server.
[[nodiscard]] outcome<std::unique_ptr<conversation_reader>> open_reader(
    loop& where, const command_context& with
);

/// A database as its one writing process; or the server. `creation` is for the database.
[[nodiscard]] outcome<std::unique_ptr<conversation_access>> open_access(
    loop& where, const command_context& with, sqlite_creation creation
);

}  // namespace convene
