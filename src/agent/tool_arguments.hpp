// SPDX-License-Identifier: Apache-2.0
// The arguments of our own tools, which fit their schemas when these are called.
#pragma once

#include "convene/json_text.hpp"
#include "convene/tool.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace convene {

/// A text among the arguments; empty where it was left out, or a record of another version has something else.
[[nodiscard]] std::string text_argument(const json_text& arguments, std::string_view name);

/// A number among the arguments; unset likewise.
[[nodiscard]] std::optional<std::int64_t> integer_argument(
    const json_text& arguments, std::string_view name, integer_range range
);

[[nodiscard]] tool_definition define_tool(
    std::string name, std::string description, std::string parameters
);

}  // namespace convene
