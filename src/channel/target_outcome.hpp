// SPDX-License-Identifier: Apache-2.0
// What one target of a delivery set came to, and the queue item of one that was deferred.
#pragma once

#include "convene/delivery.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace convene {

struct target_outcome {
    delivery_state state = delivery_state::done;  ///< `done`, `failed` or `deferred`
    std::int32_t attempts = 0;                    ///< all that were made, earlier ones included
    /// Of the last attempt. When `deferred` before any: what it waits for (`queued_behind`,
    /// `rate_limited`, `circuit_breaker_open`).
    delivery_outcome outcome;
    std::chrono::milliseconds defer_for{0};  ///< when `deferred`: not to be tried before

    /// `circuit_breaker_opened` and `circuit_breaker_closed`, with room, event and data. Whoever
    /// stores them fills in the organisation.
    std::vector<framework_event> notices;
};

/// The queue item of a row whose outcome is `deferred`. `now` is the store's time.
[[nodiscard]] outbound_item make_outbound_item(
    const delivery_row& row, const target_outcome& deferred, wall_time now
);

}  // namespace convene
