// SPDX-License-Identifier: Apache-2.0
// The text of workflows, executions and notifications, field by field.
#include "support/described_fields.hpp"

namespace convene {

std::string describe(const task_template& value) {
    return described_fields{"template"}
        .add("key", value.key)
        .add("title", value.title)
        .add("instructions", value.instructions)
        .add("depends_on", value.depends_on)
        .add("tools", value.tools)
        .add("mocks", value.mocks)
        .text();
}

std::string describe(const workflow& value) {
    return described_fields{"workflow"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("name", value.name)
        .add("description", value.description)
        .add("skill", value.skill)
        .add("skill_commit", value.skill_commit)
        .add("agent", value.agent)
        .add("tasks", value.tasks)
        .add("status", value.status)
        .add("error", value.error)
        .add("room", value.room)
        .add("created_by", value.created_by)
        .add("published", value.published)
        .add("revision", value.revision)
        .add("created_at", value.created_at)
        .add("updated_at", value.updated_at)
        .text();
}

std::string describe(const workflow_version& value) {
    return described_fields{"version"}
        .add("workflow", value.workflow)
        .add("number", value.number)
        .add("name", value.name)
        .add("description", value.description)
        .add("skill", value.skill)
        .add("skill_commit", value.skill_commit)
        .add("agent", value.agent)
        .add("tasks", value.tasks)
        .add("published_by", value.published_by)
        .add("published_at", value.published_at)
        .text();
}

std::string describe(const workflow_execution& value) {
    return described_fields{"execution"}
        .add("room", value.room)
        .add("organization", value.organization)
        .add("workflow", value.workflow)
        .add("version", value.version)
        .add("name", value.name)
        .add("description", value.description)
        .add("skill", value.skill)
        .add("skill_commit", value.skill_commit)
        .add("initiator", value.initiator)
        .add("status", value.status)
        .add("created_at", value.created_at)
        .add("finished_at", value.finished_at)
        .text();
}

std::string describe(const execution_task& value) {
    return described_fields{"task"}
        .add("what", value.what)
        .add("status", value.status)
        .add("error_kind", value.error_kind)
        .add("error", value.error)
        .add("result", value.result)
        .add("started_at", value.started_at)
        .add("ended_at", value.ended_at)
        .text();
}

std::string describe(const task_verdict& value) {
    return described_fields{"verdict"}
        .add("changed", value.changed)
        .add("refusal", value.refusal)
        .text();
}

std::string describe(const tool_invocation& value) {
    return described_fields{"invocation"}
        .add("number", value.number)
        .add("room", value.room)
        .add("task", value.task)
        .add("tool", value.tool)
        .add("decision", value.decision)
        .add("reason", value.reason)
        .add("arguments_digest", value.arguments_digest)
        .add("at", value.at)
        .text();
}

std::string describe(const notification& value) {
    return described_fields{"notification"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("user", value.user)
        .add("kind", value.kind)
        .add("title", value.title)
        .add("body", value.body)
        .add("link", value.link)
        .add("created_at", value.created_at)
        .add("read_at", value.read_at)
        .text();
}

std::string describe(const ops::numbered_notification& value) {
    return described_fields{"numbered"}.add("number", value.number).add("told", value.told).text();
}

std::string describe(const ops::get_execution::answer& value) {
    return described_fields{"found"}
        .add("execution", value.execution)
        .add("tasks", value.tasks)
        .text();
}

std::string describe(const ops::find_session_work::answer& value) {
    return described_fields{"work"}
        .add("execution", value.execution)
        .add("design", value.design)
        .text();
}

std::string describe(const ops::change_task::answer& value) {
    return described_fields{"changed"}
        .add("execution", value.execution)
        .add("tasks", value.tasks)
        .add("verdict", value.verdict)
        .text();
}

}  // namespace convene
