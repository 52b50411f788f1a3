// SPDX-License-Identifier: Apache-2.0
// The routes of remote hooks: of the organisation, and of a room.
#pragma once

#include "convene/random.hpp"
#include "convene/room_kit.hpp"
#include "convene/time.hpp"

#include <vector>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "http/route.hpp"

namespace convene {

/// What these handlers work with. Owns nothing; outlives the routes.
struct hook_route_parts {
    room_kit* kit = nullptr;
    id_generator* ids = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    const secret_box* box = nullptr;
};

[[nodiscard]] std::vector<route> hook_routes(hook_route_parts parts);

}  // namespace convene
