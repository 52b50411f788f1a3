// SPDX-License-Identifier: Apache-2.0
// The routes for whoever runs the server: alive, ready, metrics.
#pragma once

#include <functional>
#include <vector>

#include "http/router.hpp"

namespace convene {

/// Adds families of its own to `/metrics`.
using figures_writer = std::function<awaitable<void>(metrics_text* out)>;

/// Owns nothing; outlives the routes.
struct system_parts {
    room_kit* kit = nullptr;
    const router* front = nullptr;
    figures_writer more_figures{};  ///< of what stands before the router and beside it
};

[[nodiscard]] std::vector<route> system_routes(system_parts parts);

}  // namespace convene
