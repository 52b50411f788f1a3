// SPDX-License-Identifier: Apache-2.0
// Looking at a database from outside: its file, its writer, its disk.
#pragma once

#include "app/doctor/examination.hpp"

namespace convene {

/// Looks without opening the database. Blocks for a moment.
[[nodiscard]] database_facts look_at_files(const std::filesystem::path& database);

/// When the event was committed that has waited longest for its delivery; unset if none waits.
[[nodiscard]] awaitable<result<std::optional<wall_time>>> find_oldest_pending(
    conversation_store* store
);

}  // namespace convene
