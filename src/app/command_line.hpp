// SPDX-License-Identifier: Apache-2.0
// The command line: from arguments to options, or to help.
#pragma once

#include <string>
#include <variant>

#include "app/failure.hpp"
#include "app/options.hpp"

namespace convene {

/// The answer is text to print, and the program has done its work: `--help`.
struct help_text {
    std::string text;
};

using parsed_command_line = std::variant<command_line, help_text, failure>;

[[nodiscard]] parsed_command_line parse_command_line(int argc, const char* const* argv);

}  // namespace convene
