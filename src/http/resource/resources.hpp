// SPDX-License-Identifier: Apache-2.0
// The routes of our resources, a list for each.
#pragma once

#include "convene/random.hpp"
#include "convene/room_kit.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "http/route.hpp"
#include "live/inbox_feed.hpp"

namespace convene {

/// How much is taken in. *Requires*: the server lets bodies of `max_bytes` in.
struct attachment_limits {
    std::size_t max_bytes = std::size_t{25} << 20U;             ///< of one file
    std::int64_t room_bytes = std::int64_t{1} << 30U;           ///< of a room's files together
    std::int64_t organization_bytes = std::int64_t{20} << 30U;  ///< of an organisation's
};

/// What handlers work with. Owns nothing; outlives the routes.
struct resource_parts {
    room_kit* kit = nullptr;
    id_generator* ids = nullptr;
    const wall_clock* clock = nullptr;
    inbox_feed* inbox = nullptr;  ///< told of what concerns people besides commits
    const secret_box*
        box = nullptr;  ///< knows the causes that our calls carried; unset: none is ours
    random_source* random = nullptr;
    attachment_limits attachments{};
};

[[nodiscard]] std::vector<route> room_routes(resource_parts parts);
[[nodiscard]] std::vector<route> event_routes(resource_parts parts);
[[nodiscard]] std::vector<route> binding_routes(resource_parts parts);
[[nodiscard]] std::vector<route> participant_routes(resource_parts parts);
[[nodiscard]] std::vector<route> task_routes(resource_parts parts);
[[nodiscard]] std::vector<route> reading_routes(resource_parts parts);
[[nodiscard]] std::vector<route> identity_routes(resource_parts parts);
[[nodiscard]] std::vector<route> admin_routes(resource_parts parts);
[[nodiscard]] std::vector<route> attachment_routes(resource_parts parts);
[[nodiscard]] std::vector<route> retention_routes(resource_parts parts);
[[nodiscard]] std::vector<route> lease_routes(resource_parts parts);
[[nodiscard]] std::vector<route> lane_routes(resource_parts parts);

using resource_handler = awaitable<handled> (*)(resource_parts parts, route_call call);

/// A handler of one resource as a route has it.
[[nodiscard]] inline route_handler on(resource_parts parts, resource_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

}  // namespace convene
