// SPDX-License-Identifier: Apache-2.0
// Builds the framework events of rooms and deliveries: their types and data are a public surface.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"

namespace convene {

/// `delivery_skipped {from_index, to_index, reason, owner}`.
[[nodiscard]] framework_event make_delivery_skipped(
    const organization_id& organization, const delivery_skip& skip
);

/// `delivery_skipped` for one target that only the dead worker could reach.
[[nodiscard]] framework_event make_bound_skipped(
    const organization_id& organization, const room_event& event, const delivery_row& row
);

/// `delivery_recovered {from_index, to_index, owner}`.
[[nodiscard]] framework_event make_delivery_recovered(
    const organization_id& organization, const room_event& event, const incarnation_id& owner
);

/// `room_refused_event {reason}`: nothing was stored.
[[nodiscard]] framework_event make_room_refused(
    const organization_id& organization, const room_event& event, const char* reason
);

/// `process_timeout`: the deadline passed before the commit, nothing was stored.
[[nodiscard]] framework_event make_process_timeout(
    const organization_id& organization, const room_event& event
);

/// `broadcast_partial_failure {delivered, failed}`: some targets of a set failed, others did not.
[[nodiscard]] framework_event make_partial_failure(
    const organization_id& organization,
    const room_event& event,
    std::size_t delivered,
    std::size_t failed
);

}  // namespace convene
