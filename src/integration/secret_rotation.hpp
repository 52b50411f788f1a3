// SPDX-License-Identifier: Apache-2.0
// The secrets of a webhook at rest: sealing them, opening those that are good now, putting a new one in place.
#pragma once

#include "convene/error.hpp"
#include "convene/random.hpp"
#include "convene/time.hpp"

#include <vector>

#include "base/secret_box.hpp"
#include "store/channel_values.hpp"
#include "webhook/signature.hpp"

namespace convene {

/// The newest first, then the one before while it is good. *Errors*: `corrupt_data`.
[[nodiscard]] result<std::vector<webhook_secret>> open_secrets(
    const secret_box& box, const secret_place& place, const sealed_secrets& sealed, wall_time now
);

[[nodiscard]] sealed_secrets seal_first(
    const secret_box& box,
    const secret_place& place,
    const webhook_secret& secret,
    random_source& random
);

/// `next` takes the place of the current one, which stays good until then.
[[nodiscard]] sealed_secrets rotate(
    const secret_box& box,
    const secret_place& place,
    const sealed_secrets& before,
    const webhook_secret& next,
    wall_time previous_until,
    random_source& random
);

}  // namespace convene
