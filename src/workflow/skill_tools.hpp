// SPDX-License-Identifier: Apache-2.0
// What an agent reads of the skill that its workflow has, besides what it is told anyway (K2).
#pragma once

#include "convene/ids.hpp"
#include "convene/tool.hpp"

#include <memory>
#include <string>
#include <vector>

#include "workflow/skill_texts.hpp"

namespace convene {

/// The revision that is read, and no other one.
struct skill_place {
    skill_texts* skills = nullptr;  ///< outlives the tools
    organization_id organization;
    std::string skill;
    skill_text text;
};

/// `read_skill_file`; nothing for a skill without further files.
[[nodiscard]] std::vector<std::shared_ptr<tool>> make_skill_tools(const skill_place& of);

}  // namespace convene
