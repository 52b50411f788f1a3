// SPDX-License-Identifier: Apache-2.0
// Putting the routes together.
#include "http/surface.hpp"

#include <utility>

#include "http/openapi.hpp"
#include "http/resource/hook_routes.hpp"
#include "http/resource/resources.hpp"
#include "http/resource/system_routes.hpp"

namespace convene {

namespace {

const wall_clock& clock_of(const http_surface_parts& parts) {
    return parts.clock != nullptr ? *parts.clock : system_wall_clock();
}

random_source& random_of(const http_surface_parts& parts) {
    return parts.random != nullptr ? *parts.random : system_random();
}

}  // namespace

http_surface::http_surface(http_surface_parts parts, const rate_limits& rates)
    : ids_(clock_of(parts), random_of(parts)),
      router_(router_parts{&routes_, parts.kit, parts.who, parts.clock, parts.random}, rates) {
    inbox_feed* const inbox = parts.inbox != nullptr ? parts.inbox : &unheard_;
    const resource_parts resources{
        parts.kit, &ids_, &clock_of(parts), inbox, parts.box, &random_of(parts), parts.attachments
    };
    for (const auto list :
         {room_routes,
          event_routes,
          binding_routes,
          participant_routes,
          task_routes,
          reading_routes,
          identity_routes,
          admin_routes,
          attachment_routes,
          retention_routes,
          lease_routes,
          lane_routes}) {
        for (route& one : list(resources)) {
            routes_.add(std::move(one));
        }
    }
    if (parts.box != nullptr) {
        const hook_route_parts hooks{
            parts.kit, &ids_, &clock_of(parts), &random_of(parts), parts.box
        };
        for (route& one : hook_routes(hooks)) {
            routes_.add(std::move(one));
        }
    }
    for (route& one : system_routes(system_parts{parts.kit, &router_, parts.more_figures})) {
        routes_.add(std::move(one));
    }
    routes_.add(openapi_route(&routes_, std::move(parts.version)));
}

}  // namespace convene
