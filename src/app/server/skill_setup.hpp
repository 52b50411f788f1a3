// SPDX-License-Identifier: Apache-2.0
// Skills as the settings of a deployment have them, and what is said when their folder is not what it has to be.
#pragma once

#include <optional>

#include "app/database_place.hpp"
#include "app/failure.hpp"
#include "base/config/configuration.hpp"
#include "skill/skill_service.hpp"

namespace convene {

/// Nothing: the deployment has no folder for skills. A database in a file has one beside it.
[[nodiscard]] std::optional<skill_settings> skill_settings_of(
    const configuration& settings, const database_place& place
);

/// Makes the folder ready, and proves it to be that of all workers (K2). *Errors*: in words, with the remedy.
[[nodiscard]] awaitable<outcome<>> prepare_skills(skill_service* skills);

}  // namespace convene
