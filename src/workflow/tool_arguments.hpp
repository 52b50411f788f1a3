// SPDX-License-Identifier: Apache-2.0
// The arguments of our own tools, which fit their schemas when these are called.
#pragma once

#include "convene/json_text.hpp"
#include "convene/tool.hpp"

#include <string>
#include <string_view>

#include "base/canonical_json.hpp"

namespace convene {

/// A text among the arguments; empty where it was left out.
[[nodiscard]] inline std::string text_argument(const json_text& arguments, std::string_view name) {
    return find_text(arguments.str(), name).value_or(std::string{});
}

[[nodiscard]] inline tool_definition define_tool(
    std::string name, std::string description, std::string parameters
) {
    return {std::move(name), std::move(description), json_text::trusted(std::move(parameters))};
}

}  // namespace convene
