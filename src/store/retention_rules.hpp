// SPDX-License-Identifier: Apache-2.0
// Rules of retention that every store applies in the same way: what is over age, and what is told of it.
#pragma once

#include "convene/delivery.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>

#include "store/operations/retention.hpp"

namespace convene {

/// What is not younger than this has outlived so many days. Unset: nothing has.
[[nodiscard]] std::optional<wall_time> oldest_kept(
    const std::optional<std::int32_t>& days, wall_time now
);

[[nodiscard]] bool has_outlived(
    wall_time at, const std::optional<std::int32_t>& days, wall_time now
);

/// Closed or archived, and so for long enough.
[[nodiscard]] bool is_to_be_deleted(
    const room& info, const retention_policy& policy, wall_time now
);

/// What one `apply_retention` did.
struct retention_work {
    std::int64_t events = 0;
    event_index from;  ///< the first and the last index that was erased
    event_index to;
    std::int64_t attachments = 0;
    bool is_room_deleted = false;
};

/// `retention_applied {from_index, to_index, events, attachments}`, or `{room_deleted: true, ...}`.
[[nodiscard]] framework_event retention_notice(const room& of, const retention_work& done);

}  // namespace convene
