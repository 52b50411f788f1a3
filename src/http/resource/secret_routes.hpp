// SPDX-License-Identifier: Apache-2.0
// The routes of the secrets that skills name: given, listed without their values, removed (X3, K1).
#pragma once

#include <vector>

#include "http/route.hpp"
#include "skill/secret_service.hpp"

namespace convene {

/// `secrets`, `secrets/{name}`. Null: the deployment has no folder for skills. It outlives the routes.
[[nodiscard]] std::vector<route> secret_routes(secret_service* secrets);

}  // namespace convene
