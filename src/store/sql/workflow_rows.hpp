// SPDX-License-Identifier: Apache-2.0
// How workflows, versions, executions, their tasks and notifications lie in the tables: column lists, and reading in that
// order.
#pragma once

#include <string_view>

#include "base/sql/session.hpp"
#include "store/operations/workflows.hpp"

namespace convene::sql {

inline constexpr std::string_view workflow_columns =
    "id, organization_id, name, description, skill, skill_commit, agent, tasks, status, error,"
    " room_id, created_by, published, revision, created_at, updated_at";

inline constexpr std::string_view workflow_version_columns =
    "workflow_id, number, name, description, skill, skill_commit, agent, tasks, published_by,"
    " published_at";

inline constexpr std::string_view execution_columns =
    "room_id, organization_id, workflow_id, version, name, description, skill, skill_commit,"
    " initiator, status, created_at, finished_at";

inline constexpr std::string_view execution_task_columns =
    "key, title, instructions, depends_on, tools, mocks, status, error_kind, error, result,"
    " started_at, ended_at";

inline constexpr std::string_view
    invocation_columns = "number, room_id, task, tool, decision, reason, arguments_digest, at";

inline constexpr std::string_view notification_columns =
    "number, id, organization_id, recipient, kind, title, body, link, created_at, read_at";

// A list that can't be read latches `corrupt_data`.

[[nodiscard]] workflow read_workflow(query& row, failure_latch& faults);
[[nodiscard]] workflow_version read_workflow_version(query& row, failure_latch& faults);
[[nodiscard]] workflow_execution read_execution(query& row);
[[nodiscard]] execution_task read_execution_task(query& row, failure_latch& faults);
[[nodiscard]] tool_invocation read_invocation(query& row);
[[nodiscard]] ops::numbered_notification read_notification(query& row);

}  // namespace convene::sql
