// SPDX-License-Identifier: Apache-2.0
// Store operations on registered channels, and on what their providers tell about deliveries.
//
// All times are the store's clock. A change carries the line of the audit trail that tells of it.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "store/access_values.hpp"
#include "store/channel_values.hpp"

namespace convene::ops {

/// Stores a new channel (version 0), or changes the one that was read as this version. Organisation, type and
/// creation of a known one stay. *Errors*: `already_exists` (new, and the id is known), `not_found`, also for
/// another organisation; `room_changed` (it has another version by now: read again and decide again).
struct put_channel {
    using answer = registered_channel;
    registered_channel channel;
    std::optional<audit_entry> audit{};
};

/// In whichever organisation: whoever brings a message for it knows no organisation yet. *Errors*: `not_found`.
struct get_channel {
    using answer = registered_channel;
    channel_id id;
};

/// In the order of ids; of one organisation where it is set.
struct list_channels {
    using answer = std::vector<registered_channel>;
    std::optional<organization_id> organization;
};

/// Answers whether there was one. Its bindings stay; what is sent there fails.
struct delete_channel {
    using answer = bool;
    organization_id organization;
    channel_id id;
    std::optional<audit_entry> audit{};
};

/// Answers whether it says more than the one before, which it replaces then.
/// *Errors*: `not_found`: no such delivery of the event through this channel in the organisation.
struct put_receipt {
    using answer = bool;
    organization_id organization;
    channel_id channel;
    event_id event;
    delivery_receipt receipt;
};

/// In the order of the deliveries' ids.
struct list_receipts {
    using answer = std::vector<delivery_receipt>;
    room_id room;
    event_id event;
};

}  // namespace convene::ops
