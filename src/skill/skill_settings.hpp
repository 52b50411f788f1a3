// SPDX-License-Identifier: Apache-2.0
// What operators decide about skills.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "net/address_policy.hpp"
#include "skill/git_repository.hpp"
#include "skill/skill_tree.hpp"

namespace convene {

struct skill_settings {
    std::filesystem::path folder;
    git_settings git;
    address_policy policy;  ///< where repositories may be
    std::chrono::seconds clone_timeout{120};
    std::chrono::seconds prune_grace{3600};
    tree_limits limits;
    std::size_t pulls_at_once = 2;
    std::chrono::milliseconds look_interval{5'000};  ///< for wishes that nobody told of here
    std::chrono::milliseconds sweep_interval{3'600'000};
};

}  // namespace convene
