// SPDX-License-Identifier: Apache-2.0
// `convene approvals`: what agents ask in a server's sessions, and deciding it.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/command.hpp"
#include "app/event_view.hpp"
#include "app/printable.hpp"
#include "app/remote/answer_fields.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_operation.hpp"

namespace convene {

namespace {

std::string for_people(const approval_report& one) {
    return fmt::format(
        "{:<9}  {:<36}  {:<19}  {:<36}  {}",
        one.status,
        printable_name(one.id),
        one.expires_at ? time_for_people(*one.expires_at) : "-",
        printable_name(one.room),
        printable_name(one.title)
    );
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, const approvals_options* how, output_stream* out
) {
    approval_filter which{how->status, {}};
    const auto approvals = co_await list_approvals(asked, std::move(which));
    if (!approvals) {
        co_return approvals.error();
    }
    const bool is_for_people = how->form == output_form::text;
    if (is_for_people) {
        out->write_line(out->styled(
            text_style::dim,
            fmt::format("{:<9}  {:<36}  {:<19}  {:<36}  TITLE", "STATUS", "ID", "EXPIRES", "ROOM")
        ));
    }
    for (const approval_report& one : *approvals) {
        out->write_line(is_for_people ? for_people(one) : one.as_told);
    }
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> decide(
    server_conversations* asked, const approvals_options* how, output_stream* out
) {
    const auto answer = co_await decide_approval(asked, *how);
    if (!answer) {
        co_return answer.error();
    }
    if (how->form == output_form::json) {
        out->write_line(*answer);
        co_return exit_code::ok;
    }
    answer_fields fields{*answer};
    const std::string status = fields.text("status");
    const std::string title = fields.text("title");
    out->write_line(fmt::format("{}: {}", status, printable_name(title)));
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const approvals_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without{
        exit_code::usage,
        "whoever decides has to be somebody: a database does not know who you are",
        "name the server with --url, and a token"
    };
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) {
            return options.verb == approval_verb::list ? list(asked, &options, out)
                                                       : decide(asked, &options, out);
        }
    );
}

}  // namespace convene
