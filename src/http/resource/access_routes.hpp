// SPDX-License-Identifier: Apache-2.0
// The routes of access control: logging in, users, tokens, the organisation and its audit trail.
#pragma once

#include <string>
#include <vector>

#include "access/access_service.hpp"
#include "http/access_authenticator.hpp"
#include "http/route.hpp"

namespace convene {

/// What these handlers work with. The service outlives the routes.
struct access_route_parts {
    access_service* service = nullptr;
    public_transport transport = public_transport::as_requested;
    std::string base_url{};  ///< before `/login#link=`; empty: links are relative to the server
};

[[nodiscard]] std::vector<route> auth_routes(access_route_parts parts);
[[nodiscard]] std::vector<route> user_routes(access_route_parts parts);
[[nodiscard]] std::vector<route> token_routes(access_route_parts parts);
[[nodiscard]] std::vector<route> organization_routes(access_route_parts parts);

/// All of them, in one list.
[[nodiscard]] std::vector<route> access_routes(const access_route_parts& parts);

using access_handler = awaitable<handled> (*)(access_route_parts parts, route_call call);

[[nodiscard]] inline route_handler on(access_route_parts parts, access_handler handle) {
    return [parts = std::move(parts), handle](route_call call) {
        return handle(parts, std::move(call));
    };
}

/// Who acts, for the rules and the audit trail.
[[nodiscard]] access_caller caller_of(const route_call& call);

}  // namespace convene
