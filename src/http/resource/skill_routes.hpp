// SPDX-License-Identifier: Apache-2.0
// The routes of skills: registered, changed, pulled, looked into (K1).
#pragma once

#include "convene/executor.hpp"

#include <chrono>
#include <vector>

#include "http/route.hpp"
#include "skill/skill_service.hpp"

namespace convene {

/// What these handlers work with. Owns nothing; outlives the routes.
struct skill_route_parts {
    executor* where = nullptr;
    skill_service* skills = nullptr;  ///< null: the deployment has no folder for skills
    local_repositories local = local_repositories::refused;
    std::chrono::seconds longest_wait{30};  ///< of a request that waits for a pull
};

/// `skills`, `skills/{skill_id}`, `.../pull`, `.../files`.
[[nodiscard]] std::vector<route> skill_routes(skill_route_parts parts);

/// 409 `SKILLS_DISABLED`.
[[nodiscard]] awaitable<handled> refuse_without_skills();

}  // namespace convene
