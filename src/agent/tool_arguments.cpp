// SPDX-License-Identifier: Apache-2.0
// Tool arguments, read by name.
#include "agent/tool_arguments.hpp"

#include <utility>

#include "base/canonical_json.hpp"

namespace convene {

std::string text_argument(const json_text& arguments, std::string_view name) {
    return find_text(arguments.str(), name).value_or(std::string{});
}

std::optional<std::int64_t> integer_argument(
    const json_text& arguments, std::string_view name, integer_range range
) {
    const auto document = json_document::parse(arguments.str(), "arguments");
    if (!document) {
        return std::nullopt;
    }
    const auto fields = document->object();
    if (!fields) {
        return std::nullopt;
    }
    const auto found = fields->optional_integer(name, range);
    return found ? *found : std::nullopt;
}

tool_definition define_tool(std::string name, std::string description, std::string parameters) {
    return {std::move(name), std::move(description), json_text::trusted(std::move(parameters))};
}

}  // namespace convene
