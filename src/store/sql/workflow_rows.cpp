// SPDX-License-Identifier: Apache-2.0
// Reads workflows, versions, executions, tasks, tool calls that were decided, and notifications.
#include "store/sql/workflow_rows.hpp"

#include <string>
#include <utility>
#include <vector>

#include "store/sql/rows.hpp"
#include "store/workflow_rules.hpp"

namespace convene::sql {

namespace {

std::vector<task_template> templates_in(failure_latch& faults, std::string_view text) {
    auto tasks = templates_of_text(text, "tasks");
    if (!tasks) {
        faults.fail(errc::corrupt_data, "tasks that can't be read");
        return {};
    }
    return *std::move(tasks);
}

}  // namespace

workflow read_workflow(query& row, failure_latch& faults) {
    workflow read;
    std::string tasks;
    row.read(read.id, read.organization, read.name, read.description, read.skill);
    row.read(read.skill_commit, read.agent, tasks, read.status, read.error, read.room);
    row.read(read.created_by, read.published, read.revision, read.created_at, read.updated_at);
    read.tasks = templates_in(faults, tasks);
    return read;
}

workflow_version read_workflow_version(query& row, failure_latch& faults) {
    workflow_version read;
    std::string tasks;
    row.read(read.workflow, read.number, read.name, read.description, read.skill);
    row.read(read.skill_commit, read.agent, tasks, read.published_by, read.published_at);
    read.tasks = templates_in(faults, tasks);
    return read;
}

workflow_execution read_execution(query& row) {
    workflow_execution read;
    row.read(read.room, read.organization, read.workflow, read.version, read.name);
    row.read(read.description, read.skill, read.skill_commit, read.initiator, read.status);
    row.read(read.created_at, read.finished_at);
    return read;
}

execution_task read_execution_task(query& row, failure_latch& faults) {
    execution_task read;
    std::string depends_on;
    std::string tools;
    row.read(read.what.key, read.what.title, read.what.instructions, depends_on, tools);
    row.read(read.what.mocks, read.status, read.error_kind, read.error, read.result);
    row.read(read.started_at, read.ended_at);
    read.what.depends_on = list_of_text(faults, depends_on);
    read.what.tools = list_of_text(faults, tools);
    return read;
}

tool_invocation read_invocation(query& row) {
    tool_invocation read;
    row.read(read.number, read.room, read.task, read.tool, read.decision, read.reason);
    row.read(read.arguments_digest, read.at);
    return read;
}

ops::numbered_notification read_notification(query& row) {
    ops::numbered_notification read;
    notification& told = read.told;
    row.read(read.number, told.id, told.organization, told.user, told.kind, told.title);
    row.read(told.body, told.link, told.created_at, told.read_at);
    return read;
}

}  // namespace convene::sql
