// SPDX-License-Identifier: Apache-2.0
// What the agent of an execution or a design session is told besides its own instructions.
#pragma once

#include <string>
#include <vector>

#include "store/operations/workflows.hpp"
#include "workflow/skill_texts.hpp"

namespace convene {

/// The message with which an execution begins.
[[nodiscard]] std::string kickoff_text();

[[nodiscard]] std::string execution_instructions(
    std::string own, const ops::get_execution::answer& work, const skill_text& skill
);

[[nodiscard]] std::string design_instructions(std::string own, const skill_text& skill);

}  // namespace convene
