// SPDX-License-Identifier: Apache-2.0
// A secret that a command is given: in a file, since an argument would be seen in lists of processes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/failure.hpp"

namespace convene {

/// The only line of the file, without its end. *Errors*: usage, naming `flag`.
[[nodiscard]] outcome<std::string> read_secret_file(
    std::string_view flag, const std::filesystem::path& file
);

}  // namespace convene
