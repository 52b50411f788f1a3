// SPDX-License-Identifier: Apache-2.0
// Subscription service: rows, and who is to look at them again.
#include "integration/subscription_service.hpp"

#include "convene/wait.hpp"

#include <utility>

#include "integration/secret_rotation.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// A change that met somebody else's this often gives up.
constexpr int change_tries = 3;

audit_entry line_of(audit_entry by, std::string action, const subscription_id& id) {
    by.action = std::move(action);
    by.target = id.str();
    return by;
}

}  // namespace

subscription_service::subscription_service(subscription_service_parts parts)
    : parts_(std::move(parts)), ids_(*parts_.clock, *parts_.random) {}

awaitable<result<made_subscription>> subscription_service::create(
    webhook_subscription wanted, std::optional<webhook_secret> secret, audit_entry by
) {
    const auto others = co_await list(wanted.organization);
    if (!others) {
        co_return others.error();
    }
    if (others->size() >= most_webhook_subscriptions) {
        co_return errc::overloaded;
    }
    if (!secret) {
        secret = webhook_secret::generate(*parts_.random);
    }
    wanted.id = ids_.next<subscription_id>();
    wanted.version = 0;
    wanted.secrets = seal_first(
        *parts_.secrets, secret_place_of(wanted.id), *secret, *parts_.random
    );
    audit_entry line = line_of(std::move(by), "webhook_subscription.created", wanted.id);
    ops::put_webhook_subscription request{std::move(wanted), std::move(line)};
    auto stored = co_await parts_.store->run(std::move(request));
    if (!stored) {
        co_return stored.error();
    }
    parts_.changed();
    co_return made_subscription{*std::move(stored), secret->text()};
}

awaitable<result<std::vector<webhook_subscription>>> subscription_service::list(organization_id of
) {
    ops::list_webhook_subscriptions request{std::move(of)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<webhook_subscription>> subscription_service::get(
    organization_id of, subscription_id id
) {
    ops::get_webhook_subscription request{std::move(of), std::move(id)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<webhook_subscription>> subscription_service::change(
    subscription_id id, std::function<void(webhook_subscription&)> apply, audit_entry by
) {
    auto changed = co_await store_change(
        std::move(id), std::move(apply), "webhook_subscription.changed", std::move(by)
    );
    co_return changed;
}

awaitable<result<webhook_subscription>> subscription_service::store_change(
    subscription_id id,
    std::function<void(webhook_subscription&)> apply,
    std::string action,
    audit_entry by
) {
    for (int tried = 0; tried < change_tries; ++tried) {
        auto known = co_await get(by.organization, id);
        if (!known) {
            co_return known.error();
        }
        apply(*known);
        ops::put_webhook_subscription request{*std::move(known), line_of(by, action, id)};
        auto stored = co_await parts_.store->run(std::move(request));
        if (stored) {
            parts_.changed();
            co_return stored;
        }
        if (stored.error() != errc::room_changed) {
            co_return stored.error();
        }
    }
    co_return errc::room_contended;
}

awaitable<result<made_subscription>> subscription_service::rotate_secret(
    subscription_id id,
    std::optional<webhook_secret> secret,
    std::chrono::seconds overlap,
    audit_entry by
) {
    if (!secret) {
        secret = webhook_secret::generate(*parts_.random);
    }
    const webhook_secret next = *secret;
    auto apply = [this, next, overlap](webhook_subscription& changed) {
        changed.secrets = rotate(
            *parts_.secrets,
            secret_place_of(changed.id),
            changed.secrets,
            next,
            parts_.clock->now() + overlap,
            *parts_.random
        );
    };
    auto changed = co_await store_change(
        std::move(id), std::move(apply), "webhook_subscription.secret_rotated", std::move(by)
    );
    if (!changed) {
        co_return changed.error();
    }
    co_return made_subscription{*std::move(changed), next.text()};
}

awaitable<result<>> subscription_service::remove(subscription_id id, audit_entry by) {
    organization_id of = by.organization;
    audit_entry line = line_of(std::move(by), "webhook_subscription.removed", id);
    ops::delete_webhook_subscription request{std::move(of), std::move(id), std::move(line)};
    const auto removed = co_await parts_.store->run(std::move(request));
    if (!removed) {
        co_return removed.error();
    }
    if (!*removed) {
        co_return errc::not_found;
    }
    parts_.changed();
    co_return result<>{};
}

}  // namespace convene
