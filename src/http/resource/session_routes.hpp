// SPDX-License-Identifier: Apache-2.0
// Agent sessions over HTTP: runs as streams of AG-UI events, their cancellation, and reading on after a cut (A1 to A7).
#pragma once

#include <vector>

#include "http/resource/session_place.hpp"
#include "http/route.hpp"

namespace convene {

/// `.../agent`, `.../agent/cancel`, `.../agent/stream`, and those of wakes.
[[nodiscard]] std::vector<route> run_routes(session_route_parts parts, const run_place& place);

/// `rooms/{room_id}/session`, `rooms/{room_id}/agent`, `.../agent/cancel`, `.../agent/stream`, `rooms/{room_id}/runs`.
[[nodiscard]] std::vector<route> session_routes(session_route_parts parts);

/// `admin/turns`, `admin/turns/{turn_id}/retry`.
[[nodiscard]] std::vector<route> turn_routes(session_route_parts parts);

}  // namespace convene
