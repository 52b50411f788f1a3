// SPDX-License-Identifier: Apache-2.0
// Task view: a line for people, the server's own JSON for programs.
#include "app/task_view.hpp"

#include <fmt/format.h>

#include "app/printable.hpp"

namespace convene {

text_style style_of_status(std::string_view status) {
    if (status == "completed") {
        return text_style::good;
    }
    if (status == "failed") {
        return text_style::bad;
    }
    if (status == "running" || status == "in_progress") {
        return text_style::warning;
    }
    return text_style::dim;
}

void print_tasks(const std::vector<task_report>& tasks, output_form form, output_stream& out) {
    for (const task_report& task : tasks) {
        if (form == output_form::json) {
            out.write_line(task.document);
            continue;
        }
        out.write_line(fmt::format(
            "{}  {}  {}",
            out.styled(style_of_status(task.status), fmt::format("{:<11}", task.status)),
            out.styled(text_style::bold, printable_name(task.title)),
            printable_name(task.outcome)
        ));
    }
}

failure execution_needs_a_server() {
    return {
        exit_code::usage,
        "workflows are executed by a server: a database alone does nothing",
        "name the server with --url"
    };
}

}  // namespace convene
