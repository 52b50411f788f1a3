// SPDX-License-Identifier: Apache-2.0
// Which calls an approval covers.
#pragma once

#include "convene/json_text.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "store/approval_values.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// Whether the bounds can be held: a schema that can't be read covers nothing. The fault is a sentence for the model.
[[nodiscard]] std::optional<std::string> fault_of_bounds(const json_text& bounds);

[[nodiscard]] bool are_within(const json_text& arguments, const json_text& bounds);

/// The first of these that covers the call, and is not used up. Unset: none does.
[[nodiscard]] std::optional<ops::start_tool_call::use> find_cover(
    const std::vector<approval>& given,
    std::string_view tool,
    const json_text& arguments,
    wall_time now
);

}  // namespace convene
