// SPDX-License-Identifier: Apache-2.0
// Merging metadata: how a patch changes the JSON object of a room, the same on every store.
#pragma once

#include "convene/json_text.hpp"

#include <string>
#include <vector>

namespace convene {

/// `base` without the members named in `unset`, then with those of `patch`, one level deep. A
/// member that `base` has keeps its place; new ones follow in the patch's order. *Errors*:
/// `invalid_argument` if `patch` is not an object.
[[nodiscard]] result<json_text> merge_keys(
    const json_text& base, const json_text& patch, const std::vector<std::string>& unset
);

}  // namespace convene
