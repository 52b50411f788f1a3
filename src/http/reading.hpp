// SPDX-License-Identifier: Apache-2.0
// Reading what a request brings besides its path: parameters, headers, the body.
#pragma once

#include "http/problem.hpp"
#include "http/route.hpp"

namespace convene {

/// Decodes the parameters of the path in place.
[[nodiscard]] or_problem<> read_path(route_call* call);

/// Query and headers by the route's declarations; an unknown query parameter is refused.
[[nodiscard]] or_problem<> read_parameters(route_call* call);

/// The body by the route's schema: 415 for another content type, 422 where it is missing. A raw one is left to
/// the handler.
[[nodiscard]] or_problem<> read_body(route_call* call);

/// The same, for the handler of a raw body that has looked at the bytes.
[[nodiscard]] or_problem<> parse_body(route_call* call);

/// `traceparent` where it is one (W3C), else empty.
[[nodiscard]] std::string trace_parent_of(const http_headers& headers);

}  // namespace convene
