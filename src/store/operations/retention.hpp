// SPDX-License-Identifier: Apache-2.0
// Store operations on how long things are kept, and on erasing an organisation.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/access_values.hpp"

namespace convene {

/// How long things are kept, in days of the store's clock. Unset: for ever.
struct retention_policy {
    std::optional<std::int32_t> events_max_age_days;
    std::optional<std::int32_t> attachments_max_age_days;
    std::optional<std::int32_t> room_delete_after_closed_days;

    friend bool operator==(const retention_policy&, const retention_policy&) = default;
};

/// What holds for a room: of its own policy and its organisation's, the shorter span each. So no room keeps what the
/// organisation wants gone.
[[nodiscard]] retention_policy stricter(const retention_policy& a, const retention_policy& b);

namespace ops {

/// Puts a policy in place of the one before. *Errors*: `not_found` (the room).
struct put_retention {
    using answer = retention_policy;
    organization_id organization;
    room_id room;  ///< empty: the organisation's
    retention_policy policy;
    std::optional<audit_entry> audit;
};

/// *Errors*: `not_found` (the room).
struct get_retention {
    struct found {
        retention_policy own;
        retention_policy effective;

        friend bool operator==(const found&, const found&) = default;
    };

    using answer = found;
    organization_id organization;
    room_id room;  ///< empty: the organisation's
};

/// Looks at the `limit` rooms behind `after`, by id, and answers those in which a policy has something to do.
struct find_retention_due {
    struct item {
        organization_id organization;
        room_id room;
    };

    struct outcome {
        std::vector<item> due;
        room_id last;           ///< of the rooms looked at: where to go on
        bool has_more = false;  ///< there may be rooms behind it
    };

    using answer = outcome;
    room_id after;
    std::size_t limit = 200;
};

/// Does what the room's policies ask for now: deletes the room, or else its oldest events that are over age, from the
/// lowest index on until one is young enough, and removes its attachments that are; at most `limit` of either.
///
/// An event goes as with `delete_event`, but without its replies, which go at their own age, and its delivery rows go
/// with it. Whatever was done is told in a framework event `retention_applied`.
/// Call it under the room's lock and delivery claim.
struct apply_retention {
    struct outcome {
        std::vector<event_id> events;
        std::int64_t attachments = 0;
        bool is_room_deleted = false;
        bool has_more = false;
    };

    using answer = outcome;
    organization_id organization;
    room_id room;
    std::size_t limit = 200;
};

/// Begins to erase an organisation: in this step its users, tokens, sessions, links and policies are gone, and its id
/// is not given again until the rest is, too. False if there is no such organisation.
struct begin_erasure {
    using answer = bool;
    organization_id organization;
    std::optional<audit_entry> audit;
};

/// Goes on with the erasure that was begun first: at most `limit` rooms, and once none is left everything else that
/// names the organisation.
struct continue_erasure {
    struct outcome {
        organization_id organization;  ///< empty: there was nothing to do
        std::vector<room_id> rooms;    ///< that went
        bool has_more = false;
    };

    using answer = outcome;
    std::size_t limit = 16;
};

}  // namespace ops

}  // namespace convene
