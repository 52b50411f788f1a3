// SPDX-License-Identifier: Apache-2.0
// `convene executions`: the executions of a server's workflows; one with its tasks; ending one.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_workflows.hpp"
#include "app/task_view.hpp"

namespace convene {

namespace {

failure no_execution() {
    return {exit_code::refused, "there is no execution with this ID", "see convene executions"};
}

std::string for_people(const execution_report& shown, const output_stream& out) {
    return fmt::format(
        "{}  {:<20.20}  {}  {}",
        out.styled(style_of_status(shown.status), fmt::format("{:<9}", shown.status)),
        shown.created_at,
        printable_name(shown.id),
        out.styled(text_style::bold, printable_name(shown.name))
    );
}

void print(const execution_report& shown, output_form form, output_stream& out) {
    out.write_line(form == output_form::text ? for_people(shown, out) : shown.document);
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, output_form form, output_stream* out
) {
    const auto found = co_await list_executions(asked);
    if (!found) {
        co_return found.error();
    }
    if (form == output_form::text) {
        out->write_line(out->styled(
            text_style::dim, fmt::format("STATUS     {:<20}  {:<36}  NAME", "STARTED (UTC)", "ID")
        ));
    }
    for (const execution_report& one : *found) {
        print(one, form, *out);
    }
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> show(
    server_conversations* asked, const executions_options* how, output_stream* out
) {
    const auto found = co_await find_execution(asked, how->id);
    if (!found) {
        co_return found.error();
    }
    if (!*found) {
        co_return no_execution();
    }
    const auto tasks = co_await list_tasks(asked, how->id);
    if (!tasks) {
        co_return tasks.error();
    }
    print(**found, how->form, *out);
    print_tasks(*tasks, how->form, *out);
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> cancel(
    server_conversations* asked, const executions_options* how, output_stream* out
) {
    const auto cancelled = co_await cancel_execution(asked, how->id);
    if (!cancelled) {
        co_return cancelled.error();
    }
    print(*cancelled, how->form, *out);
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const executions_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without = execution_needs_a_server();
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) {
            switch (options.verb) {
                case execution_verb::show:
                    return show(asked, &options, out);
                case execution_verb::cancel:
                    return cancel(asked, &options, out);
                case execution_verb::list:
                    break;
            }
            return list(asked, options.form, out);
        }
    );
}

}  // namespace convene
