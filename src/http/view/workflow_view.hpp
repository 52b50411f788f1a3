// SPDX-License-Identifier: Apache-2.0
// How workflows, their versions, executions, tasks, decided tool calls and notifications are shown.
#pragma once

#include <vector>

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/workflow_values.hpp"

namespace convene {

/// A task of a workflow, as it is shown and as it is sent.
[[nodiscard]] const schema& task_template_schema();

[[nodiscard]] const schema& workflow_schema();
[[nodiscard]] const schema& workflow_version_schema();
[[nodiscard]] const schema& execution_schema();
[[nodiscard]] const schema& execution_task_schema();
[[nodiscard]] const schema& invocation_schema();
[[nodiscard]] const schema& notification_schema();

void write_workflow(json_writer& out, const workflow& shown);
void write_workflow_version(json_writer& out, const workflow_version& shown);
void write_execution(json_writer& out, const workflow_execution& shown);
void write_execution_task(json_writer& out, const execution_task& shown);
void write_invocation(json_writer& out, const tool_invocation& shown);
void write_notification(json_writer& out, const notification& shown);

/// One of them as a whole answer.
template <class Shown>
[[nodiscard]] json_text as_json(
    void (*write)(json_writer& out, const Shown& shown), const Shown& shown
) {
    json_writer out;
    write(out, shown);
    return out.take();
}

}  // namespace convene
