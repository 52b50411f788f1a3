// SPDX-License-Identifier: Apache-2.0
// The routes of our resources, a list for each.
#pragma once

#include "convene/room_kit.hpp"

#include <vector>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "http/route.hpp"
#include "live/inbox_feed.hpp"

namespace convene {

/// What handlers work with. Owns nothing; outlives the routes.
struct resource_parts {
    room_kit* kit = nullptr;
    id_generator* ids = nullptr;
    const wall_clock* clock = nullptr;
    inbox_feed* inbox = nullptr;  ///< told of what concerns people besides commits
    const secret_box*
        box = nullptr;  ///< knows the causes that our calls carried; unset: none is ours
};

[[nodiscard]] std::vector<route> room_routes(resource_parts parts);
[[nodiscard]] std::vector<route> event_routes(resource_parts parts);
[[nodiscard]] std::vector<route> binding_routes(resource_parts parts);
[[nodiscard]] std::vector<route> participant_routes(resource_parts parts);
[[nodiscard]] std::vector<route> task_routes(resource_parts parts);
[[nodiscard]] std::vector<route> reading_routes(resource_parts parts);
[[nodiscard]] std::vector<route> identity_routes(resource_parts parts);
[[nodiscard]] std::vector<route> admin_routes(resource_parts parts);

using resource_handler = awaitable<handled> (*)(resource_parts parts, route_call call);

/// A handler of one resource as a route has it.
[[nodiscard]] inline route_handler on(resource_parts parts, resource_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

}  // namespace convene
