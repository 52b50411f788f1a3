// SPDX-License-Identifier: Apache-2.0
// Agent sessions over HTTP: runs as streams of AG-UI events, their cancellation, and reading on after a cut (A1 to A7).
#pragma once

#include "convene/room_kit.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "agent/session/run_feed.hpp"
#include "agent/session/session_service.hpp"
#include "http/principal.hpp"
#include "http/route.hpp"

namespace convene {

/// Owns nothing; outlives the routes and every stream that they open.
struct session_route_parts {
    executor* where = nullptr;
    room_kit* kit = nullptr;
    authenticator* who = nullptr;
    session_service* sessions = nullptr;
    run_feeds* feeds = nullptr;
    random_source* random = nullptr;
    const wall_clock* clock = nullptr;
    std::chrono::milliseconds heartbeat{15'000};       ///< a stream is never silent for longer
    std::chrono::milliseconds access_interval{2'000};  ///< how often a reader's access is looked at
};

/// Where else than at `rooms/{room_id}` the runs of a session are.
struct run_place {
    std::string path;       ///< `/api/v1/workflow-executions/{execution_id}`
    std::string operation;  ///< what the names of the operations end with

    /// The session's room. *Errors*: 404 where the caller may not see it.
    std::function<awaitable<or_problem<room_context>>(const route_call* call)> enter;
};

/// `.../agent`, `.../agent/cancel`, `.../agent/stream`.
[[nodiscard]] std::vector<route> run_routes(session_route_parts parts, const run_place& place);

/// `rooms/{room_id}/session`, `rooms/{room_id}/agent`, `.../agent/cancel`, `.../agent/stream`, `rooms/{room_id}/runs`.
[[nodiscard]] std::vector<route> session_routes(session_route_parts parts);

/// `admin/turns`, `admin/turns/{turn_id}/retry`.
[[nodiscard]] std::vector<route> turn_routes(session_route_parts parts);

}  // namespace convene
