// SPDX-License-Identifier: Apache-2.0
// Store operations on framework events as one organisation sees them, and on webhooks that are told of them.
//
// All times are the store's clock. A change carries the line of the audit trail that tells of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "store/access_values.hpp"
#include "store/channel_values.hpp"

namespace convene::ops {

/// The sequence of the newest framework event of all organisations; 0 for none.
struct get_last_notice {
    using answer = std::int64_t;
};

/// An organisation's framework events after `after`, ascending.
struct list_notices_of {
    using answer = std::vector<framework_event>;
    organization_id organization;
    std::int64_t after = 0;
    std::size_t limit = 100;
};

/// Stores a new subscription (version 0), which starts behind the newest framework event, or changes the one that
/// was read as this version: position, organisation and creation stay. One that was disabled and is enabled has no
/// failures any more. *Errors*: `already_exists` (new, and the id is known), `not_found`, also for another
/// organisation; `room_changed` (it has another version by now: read again and decide again).
struct put_webhook_subscription {
    using answer = webhook_subscription;
    webhook_subscription subscription;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`, also for another organisation.
struct get_webhook_subscription {
    using answer = webhook_subscription;
    organization_id organization;
    subscription_id id;
};

/// In the order of ids; of one organisation where it is set.
struct list_webhook_subscriptions {
    using answer = std::vector<webhook_subscription>;
    std::optional<organization_id> organization;
};

/// Answers whether there was one.
struct delete_webhook_subscription {
    using answer = bool;
    organization_id organization;
    subscription_id id;
    std::optional<audit_entry> audit{};
};

/// What an attempt to tell a subscriber came to. Answers whether there still is such a subscription.
struct note_subscription_progress {
    using answer = bool;
    subscription_id id{};
    std::int64_t position = 0;  ///< never moves back
    std::string error{};        ///< a stable word; empty: it was told, and has no failures any more
    std::string disable_reason{};             ///< not empty: it is disabled for this
    std::optional<framework_event> notice{};  ///< stored with it
};

}  // namespace convene::ops
