// SPDX-License-Identifier: Apache-2.0
// Reading a small file whole: the configuration and the secrets it names.
#pragma once

#include "convene/error.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace convene {

/// *Errors*: `not_found`, `io_failed`; `invalid_argument` when it is longer than `max_bytes`.
[[nodiscard]] result<std::string> read_small_file(
    const std::filesystem::path& path, std::size_t max_bytes
);

}  // namespace convene
