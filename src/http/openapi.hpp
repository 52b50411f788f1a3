// SPDX-License-Identifier: Apache-2.0
// The OpenAPI 3.1 document of a route table.
#pragma once

#include "convene/json_text.hpp"

#include <string>

#include "http/route_table.hpp"

namespace convene {

/// The document: every route with its parameters, bodies and answers; named schemas as components. The same for
/// the same table.
[[nodiscard]] json_text openapi_of(const route_table& routes, std::string version);

/// `GET /api/openapi.json`. The document is made when it is first asked for: `routes` outlives the route and has
/// all routes by then.
[[nodiscard]] route openapi_route(const route_table* routes, std::string version);

}  // namespace convene
