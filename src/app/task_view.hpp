// SPDX-License-Identifier: Apache-2.0
// How executions and their tasks are shown by commands.
#pragma once

#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "app/options.hpp"
#include "app/remote/server_workflows.hpp"

namespace convene {

[[nodiscard]] text_style style_of_status(std::string_view status);

/// A line for each.
void print_tasks(const std::vector<task_report>& tasks, output_form form, output_stream& out);

/// How a command ends that was given a database.
[[nodiscard]] failure execution_needs_a_server();

}  // namespace convene
