// SPDX-License-Identifier: Apache-2.0
// The rules of tasks that depend on each other: which lists are ones, how a task's state changes, when all is done (W1).
//
// They are the store's, because a change is decided in the transaction that stores it.
#pragma once

#include "convene/boundary.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "store/workflow_values.hpp"

namespace convene {

/// What one list may hold.
struct task_limits {
    static constexpr std::size_t tasks = 64;
    static constexpr std::size_t key_bytes = 40;
    static constexpr std::size_t title_bytes = 120;
    static constexpr std::size_t instructions_bytes = 4 * 1024;
    static constexpr std::size_t tools = 16;  ///< of each task
    static constexpr std::size_t mock_bytes = 16 * 1024;
};

/// What is wrong with a list of tasks.
struct task_fault {
    std::string field;  ///< `tasks[2].depends_on`
    boundary_reason reason{};
    std::string text;  ///< a sentence that a model can act on

    friend bool operator==(const task_fault&, const task_fault&) = default;
};

/// The first thing that is wrong: a limit, a key that is there twice, a dependency that is not there, a circle.
[[nodiscard]] std::optional<task_fault> find_task_fault(const std::vector<task_template>& tasks);

/// Tasks at their start.
[[nodiscard]] std::vector<execution_task> tasks_of(const std::vector<task_template>& templates);

/// A step that somebody wants to take.
struct task_change {
    std::string key;
    execution_task_status to = execution_task_status::in_progress;
    std::string result;                                   ///< of `completed`
    task_error_kind error_kind = task_error_kind::other;  ///< of `failed`
    std::string error;                                    ///< of `failed` and `skipped`

    friend bool operator==(const task_change&, const task_change&) = default;
};

/// What came of it. A step that was taken before is taken: nothing changes.
struct task_verdict {
    std::vector<std::size_t>
        changed;          ///< places in the list: the task's, and those that can't be done any more
    std::string refusal;  ///< why it can't be taken, as a sentence; empty: it was

    friend bool operator==(const task_verdict&, const task_verdict&) = default;
};

/// Takes the step if it can be taken. A task starts once all that it depends on is completed; it is completed or failed
/// once it was started, and skipped only before. What depends on a task that failed or was skipped is skipped as well.
[[nodiscard]] task_verdict take_step(
    std::vector<execution_task>& tasks, const task_change& change, wall_time now
);

/// How an execution with these tasks has ended; nothing while it has not. One without tasks goes on.
[[nodiscard]] std::optional<execution_status> settled_status(
    const std::vector<execution_task>& tasks
);

}  // namespace convene
