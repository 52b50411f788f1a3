// SPDX-License-Identifier: Apache-2.0
// The tools with which the agent of a design session makes a workflow's draft (W1).
#pragma once

#include "convene/tool.hpp"

#include <memory>
#include <vector>

#include "workflow/execution_tools.hpp"

namespace convene {

/// `read_workflow`, `set_tasks`, `describe_workflow`. What is wrong with a list of tasks is told to the model.
[[nodiscard]] std::vector<std::shared_ptr<tool>> make_design_tools(const execution_place& of);

}  // namespace convene
