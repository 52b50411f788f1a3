// SPDX-License-Identifier: Apache-2.0
// What the memory store knows of registered channels, receipts and subscriptions.
#pragma once

#include <map>
#include <tuple>

#include "store/channel_values.hpp"

namespace convene {

/// The rows. *Thread safety*: as `tables`.
struct channel_tables {
    using receipt_key = std::tuple<room_id, event_id, delivery_id>;

    /// Of one event.
    void forget_receipts(const room_id& room, const event_id& event);

    /// Of all events of a room.
    void forget_receipts(const room_id& room);

    std::map<channel_id, registered_channel> channels;
    std::map<receipt_key, delivery_receipt> receipts;
    std::map<subscription_id, webhook_subscription> subscriptions;
};

}  // namespace convene
