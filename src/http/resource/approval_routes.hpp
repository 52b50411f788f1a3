// SPDX-License-Identifier: Apache-2.0
// What agents ask people, over HTTP (A6).
#pragma once

#include <vector>

#include "http/resource/session_routes.hpp"
#include "http/route.hpp"

namespace convene {

/// `approvals`, `approvals/{approval_id}`.
[[nodiscard]] std::vector<route> approval_routes(session_route_parts parts);

}  // namespace convene
