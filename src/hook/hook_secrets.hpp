// SPDX-License-Identifier: Apache-2.0
// The secrets of a remote hook: sealed in its record, opened for a call, replaced while the old one still counts.
#pragma once

#include "convene/error.hpp"
#include "convene/random.hpp"
#include "convene/remote_hook.hpp"
#include "convene/time.hpp"

#include <vector>

#include "base/secret_box.hpp"
#include "webhook/signature.hpp"

namespace convene {

/// What a call is signed with now: the secret, and the one before it while it counts.
/// *Errors*: `corrupt_data` (sealed under another key).
[[nodiscard]] result<std::vector<webhook_secret>> open_hook_secrets(
    const secret_box& box, const remote_hook& hook, wall_time now
);

/// Gives a hook its first secret, or another one; the one before it counts until `previous_until`.
void seal_hook_secret(
    const secret_box& box,
    const webhook_secret& secret,
    wall_time previous_until,
    random_source& random,
    remote_hook* hook
);

}  // namespace convene
