// SPDX-License-Identifier: Apache-2.0
// Metadata that stores look into, the same everywhere: how a patch changes a room's, whom an event's mentions.
#pragma once

#include "convene/json_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// `base` without the members named in `unset`, then with those of `patch`, one level deep. A
/// member that `base` has keeps its place; new ones follow in the patch's order. *Errors*:
/// `invalid_argument` if `patch` is not an object.
[[nodiscard]] result<json_text> merge_keys(
    const json_text& base, const json_text& patch, const std::vector<std::string>& unset
);

/// Whether an event's metadata names a participant: `{"mentions":["<participant>", ...]}`.
[[nodiscard]] bool mentions(std::string_view metadata, std::string_view participant);

}  // namespace convene
