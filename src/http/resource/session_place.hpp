// SPDX-License-Identifier: Apache-2.0
// Where the routes of a session are, and who may drive it.
#pragma once

#include "convene/room_kit.hpp"

#include <chrono>
#include <functional>
#include <string>

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

using session_handler = awaitable<handled> (*)(session_route_parts parts, route_call call);

/// A route on a session, wherever that is; the handler finds the room entered.
[[nodiscard]] route run_route(
    const run_place& place,
    http_method method,
    std::string path,
    std::string operation,
    std::string summary,
    session_route_parts parts,
    session_handler handle
);

/// A session that works on something is driven by whom it works for, and by admins. *Errors*: 403.
[[nodiscard]] awaitable<or_problem<>> check_driver(
    session_route_parts parts, const route_call* call
);

}  // namespace convene
