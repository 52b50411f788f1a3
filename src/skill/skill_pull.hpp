// SPDX-License-Identifier: Apache-2.0
// One pull: from a repository to a revision on the disk.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/loop.hpp"

#include <filesystem>
#include <string>

#include "base/secret_box.hpp"
#include "skill/skill_folder.hpp"
#include "skill/skill_settings.hpp"
#include "store/skill_values.hpp"
#include "store/store.hpp"

namespace convene {

/// Owns none; they outlive the pulls.
struct skill_pull_parts {
    loop* where = nullptr;
    const skill_settings* settings = nullptr;
    const skill_folder* folder = nullptr;
    blocking_pool* files = nullptr;
    const secret_box* secrets = nullptr;
    conversation_store* store = nullptr;
};

/// Fetches what a skill's source names, or one particular commit of it, checks it, and publishes it.
/// *Requires*: the lease of the skill. `unique` names the pull. *Cancellation*: at any time; the revision is there whole
/// or not at all.
[[nodiscard]] awaitable<pulled<revision_id>> pull_revision(
    skill_pull_parts with, skill what, revision_id wanted, std::string unique
);

}  // namespace convene
