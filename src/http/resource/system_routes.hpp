// SPDX-License-Identifier: Apache-2.0
// The routes for whoever runs the server: alive, ready, metrics.
#pragma once

#include <vector>

#include "http/router.hpp"

namespace convene {

/// Owns nothing; outlives the routes.
struct system_parts {
    room_kit* kit = nullptr;
    const router* front = nullptr;
};

[[nodiscard]] std::vector<route> system_routes(system_parts parts);

}  // namespace convene
