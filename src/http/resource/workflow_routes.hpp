// SPDX-License-Identifier: Apache-2.0
// The routes of workflows, their executions, and notifications (W1 to W3).
#pragma once

#include <vector>

#include "http/resource/session_routes.hpp"
#include "http/route.hpp"
#include "workflow/workflow_service.hpp"

namespace convene {

/// Owns nothing; outlives the routes and every stream that they open.
struct workflow_route_parts {
    session_route_parts runs;
    workflow_service* workflows = nullptr;
};

/// `workflows`: made, changed, published, executed, and designed at `workflows/{workflow_id}/agent`.
[[nodiscard]] std::vector<route> workflow_routes(workflow_route_parts parts);

/// `workflow-executions`: what they are at, their tasks, their runs at `.../agent`.
[[nodiscard]] std::vector<route> execution_routes(workflow_route_parts parts);

/// `notifications` of the caller.
[[nodiscard]] std::vector<route> notification_routes(workflow_route_parts parts);

using workflow_handler = awaitable<handled> (*)(workflow_route_parts parts, route_call call);

[[nodiscard]] inline route_handler on(workflow_route_parts parts, workflow_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

[[nodiscard]] workflow_actor actor_of(const route_call& call);

}  // namespace convene
