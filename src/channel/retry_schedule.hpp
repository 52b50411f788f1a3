// SPDX-License-Identifier: Apache-2.0
// The retry schedule: whether and when a failed delivery is tried again.
#pragma once

#include "convene/channel.hpp"
#include "convene/random.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace convene {

/// How long to wait before the next attempt; unset: none is made, because the failure is permanent
/// or the retries are used up.
///
/// The wait grows by `factor` from `base_delay` to `max_delay`, with a fifth of jitter either way,
/// so that what failed together does not come back together. A provider's `retry_after` prolongs
/// it, by a day at most. `attempts` counts those made so far, the failed one included.
[[nodiscard]] std::optional<std::chrono::milliseconds> delay_before_retry(
    const retry_policy& policy,
    std::int32_t attempts,
    const send_result& failure,
    random_source& random
);

}  // namespace convene
