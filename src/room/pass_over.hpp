// SPDX-License-Identifier: Apache-2.0
// The step that passes over events: rows skipped, the skip's record, and its notice.
#pragma once

#include <vector>

#include "store/operations/deliveries.hpp"

namespace convene {

/// What is stored where the cursor passes from `delivered` over `passed`, which are the next stored events that need
/// somebody: rows that are not final become `skipped`. `advance_to` is the last of them; the epoch is the caller's.
/// *Requires*: `passed` is not empty.
[[nodiscard]] ops::finish_set make_pass_over(
    const organization_id& organization,
    event_index delivered,
    const std::vector<ops::load_lane::entry>& passed,
    const char* reason
);

}  // namespace convene
