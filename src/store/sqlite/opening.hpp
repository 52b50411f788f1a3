// SPDX-License-Identifier: Apache-2.0
// How connections are opened: settings, layout, and what the one writer does first.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/sqlite_store.hpp"
#include "convene/time.hpp"

#include <filesystem>
#include <memory>

#include "store/sqlite/connection.hpp"

namespace convene::sqlite {

/// The writer's connection to a file of the current layout; buries the incarnations before `self`.
/// *Requires*: the file's guard is held.
[[nodiscard]] result<std::unique_ptr<connection>> open_for_writing(
    const sqlite_options& options, const wall_clock& clock, const incarnation_id& self
);

/// A connection to a file of the current layout that can't change it.
[[nodiscard]] result<std::unique_ptr<connection>> open_for_reading(const std::filesystem::path& path
);

}  // namespace convene::sqlite
