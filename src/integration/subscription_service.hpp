// SPDX-License-Identifier: Apache-2.0
// Subscriptions to framework events as the surfaces use them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/random.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "store/access_values.hpp"
#include "store/channel_values.hpp"
#include "webhook/signature.hpp"

namespace convene {

class conversation_store;

/// Owns none; they outlive the service.
struct subscription_service_parts {
    conversation_store* store = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    const secret_box* secrets = nullptr;
    std::function<void()> changed;  ///< called when there is something to look at again
};

/// Subscriptions that one organisation can have.
inline constexpr std::size_t most_webhook_subscriptions = 20;

/// With the secret's text, which is shown this once.
struct made_subscription {
    webhook_subscription subscription;
    std::string secret;
};

/// *Thread safety*: loop only. *Errors*: each operation's own, and those of the store; what belongs to another
/// organisation is `not_found`. `by` carries organisation, actor and peer of the line in the audit trail.
class subscription_service {
   public:
    explicit subscription_service(subscription_service_parts parts);

    subscription_service(const subscription_service&) = delete;
    subscription_service& operator=(const subscription_service&) = delete;

    /// It is told of what happens from now on. *Errors*: `overloaded` (the organisation has as many as it can).
    [[nodiscard]] awaitable<result<made_subscription>> create(
        webhook_subscription wanted, std::optional<webhook_secret> secret, audit_entry by
    );

    [[nodiscard]] awaitable<result<std::vector<webhook_subscription>>> list(organization_id of);

    [[nodiscard]] awaitable<result<webhook_subscription>> get(
        organization_id of, subscription_id id
    );

    /// `apply` sees the subscription as it is now, perhaps more than once. *Errors*: `room_contended` (others
    /// changed it each time).
    [[nodiscard]] awaitable<result<webhook_subscription>> change(
        subscription_id id, std::function<void(webhook_subscription&)> apply, audit_entry by
    );

    /// The secret before stays good for `overlap`. *Errors*: as `change`.
    [[nodiscard]] awaitable<result<made_subscription>> rotate_secret(
        subscription_id id,
        std::optional<webhook_secret> secret,
        std::chrono::seconds overlap,
        audit_entry by
    );

    /// *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<>> remove(subscription_id id, audit_entry by);

   private:
    [[nodiscard]] awaitable<result<webhook_subscription>> store_change(
        subscription_id id,
        std::function<void(webhook_subscription&)> apply,
        std::string action,
        audit_entry by
    );

    // fixed after construction
    const subscription_service_parts parts_;

    // touched on the loop only
    id_generator ids_;
};

/// Where a subscription's secrets lie.
[[nodiscard]] inline secret_place secret_place_of(const subscription_id& id) {
    return {"webhook_subscriptions", id.str()};
}

}  // namespace convene
