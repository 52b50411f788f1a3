// SPDX-License-Identifier: Apache-2.0
// The tools with which an execution's agent works through its tasks (W1).
#pragma once

#include "convene/tool.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "store/workflow_values.hpp"

namespace convene {

class conversation_store;

/// Whose execution it is, and as which driver its tasks are changed: one that was fenced changes none.
struct execution_place {
    conversation_store* store = nullptr;  ///< outlives the tools
    organization_id organization;
    room_id room;
    std::int64_t epoch = 0;
};

/// `list_tasks`, `start_task`, `complete_task`, `fail_task`, `skip_task`. What can't be done is told to the model; saying
/// it again is harmless.
[[nodiscard]] std::vector<std::shared_ptr<tool>> make_execution_tools(const execution_place& of);

/// The tools of a draft's tasks as its templates mock them: none of them does anything. `real` are the agent's own.
[[nodiscard]] std::vector<std::shared_ptr<tool>> make_mocked_tools(
    const std::vector<execution_task>& tasks, const toolbox& real
);

/// The tasks as a model reads them.
[[nodiscard]] json_text tasks_for_model(const std::vector<execution_task>& tasks);

}  // namespace convene
