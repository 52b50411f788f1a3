// SPDX-License-Identifier: Apache-2.0
// Wakes of a session over HTTP: saying something to its agent later (N1).
#pragma once

#include <vector>

#include "http/resource/session_place.hpp"
#include "http/route.hpp"

namespace convene {

/// `.../agent/wakes`, `.../agent/wakes/{turn_id}`.
[[nodiscard]] std::vector<route> wake_routes(session_route_parts parts, const run_place& place);

}  // namespace convene
