// SPDX-License-Identifier: Apache-2.0
// The routes of what reaches other systems: registered channels, their webhooks, subscriptions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "http/route.hpp"
#include "integration/channel_service.hpp"
#include "integration/subscription_service.hpp"

namespace convene {

/// What these handlers work with. Owns none; they outlive the routes.
struct integration_route_parts {
    room_kit* kit = nullptr;
    channel_service* channels = nullptr;
    subscription_service* subscriptions = nullptr;
    const wall_clock* clock = nullptr;
    const secret_box*
        box = nullptr;  ///< knows the causes that deliveries carried; unset: none is ours
};

/// `channels`: register, look, change, rotate the secret, remove.
[[nodiscard]] std::vector<route> channel_routes(integration_route_parts parts);

/// `webhooks/{channel_type}/{provider}`: what providers tell us.
[[nodiscard]] std::vector<route> webhook_routes(integration_route_parts parts);

/// `webhook-subscriptions`: who is told of framework events.
[[nodiscard]] std::vector<route> subscription_routes(integration_route_parts parts);

/// All of them, in one list.
[[nodiscard]] std::vector<route> integration_routes(const integration_route_parts& parts);

using integration_handler = awaitable<handled> (*)(integration_route_parts parts, route_call call);

[[nodiscard]] inline route_handler on(integration_route_parts parts, integration_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

// What channels and subscriptions have in common.

/// Organisation, actor and peer of a change, for the audit trail.
[[nodiscard]] audit_entry by_caller(const route_call& call);

[[nodiscard]] schema secret_rotation_schema();
[[nodiscard]] schema_field secret_field();

/// The secret in a body, where one is given. *Errors*: 422.
[[nodiscard]] or_problem<std::optional<webhook_secret>> read_secret(const read_object& body);

/// How long the secret before stays good.
[[nodiscard]] seconds read_overlap(const read_object& body);

/// `overloaded` is the organisation's limit here.
[[nodiscard]] problem problem_of_change(error_code code, std::string_view limit);

}  // namespace convene
