// SPDX-License-Identifier: Apache-2.0
// `convene leases`: who holds what at a server, since when and for what; taking one away.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/remote/answer_fields.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_operation.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

std::string for_people(const lease_report& lease) {
    return fmt::format(
        "{:<9} {:>10.1f}  {:>7}  {:<36}  {:<16}  {}  ({})",
        lease.state,
        lease.age_seconds,
        lease.waiters,
        printable_name(lease.holder),
        printable_name(lease.host),
        printable_name(lease.name),
        printable_name(lease.purpose)
    );
}

std::string for_programs(const lease_report& lease) {
    json_writer out;
    out.begin_object();
    out.key("name").string(lease.name);
    out.key("kind").string(lease.kind);
    out.key("holder").string(lease.holder);
    out.key("worker").begin_object();
    out.key("incarnation").string(lease.holder);
    out.key("host").string(lease.host);
    out.key("is_self").boolean(lease.is_of_answerer);
    out.end_object();
    out.key("state").string(lease.state);
    out.key("purpose").string(lease.purpose);
    out.key("age_seconds").number(lease.age_seconds);
    out.key("waiters").integer(lease.waiters);
    out.end_object();
    return out.take().str();
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, const leases_options* how, output_stream* out
) {
    const auto leases = co_await list_leases(asked, how->view);
    if (!leases) {
        co_return leases.error();
    }
    const bool is_for_people = how->form == output_form::text;
    if (is_for_people) {
        out->write_line(out->styled(
            text_style::dim,
            fmt::format(
                "{:<9} {:>10}  WAITERS  {:<36}  {:<16}  NAME", "STATE", "AGE (s)", "WORKER", "HOST"
            )
        ));
    }
    for (const lease_report& lease : *leases) {
        out->write_line(is_for_people ? for_people(lease) : for_programs(lease));
    }
    co_return exit_code::ok;
}

std::string told(const std::string& answer) {
    answer_fields fields{answer};
    const std::string state = fields.text("state");
    const std::string consequence = fields.text("consequence");
    const std::int64_t lost = fields.integer("lost_with_session");
    if (state == "dry_run") {
        return fmt::format(
            "would fall: {}; other leases that are lost with --end-session: {}", consequence, lost
        );
    }
    if (state == "session_ended") {
        return fmt::format(
            "its holder did not answer: its session was ended, with {} other leases; {}",
            lost,
            consequence
        );
    }
    if (state == "told") {
        return "its holder was told, and has not let go yet; " + consequence;
    }
    return "released; " + consequence;
}

awaitable<outcome<exit_code>> release(
    server_conversations* asked, const leases_options* how, output_stream* out
) {
    const auto answer = co_await release_lease(asked, *how);
    if (!answer) {
        co_return answer.error();
    }
    out->write_line(how->form == output_form::text ? told(*answer) : *answer);
    if (how->mode == release_mode::preview) {
        co_return failure{
            exit_code::usage, "--confirm was not given: nothing was released", "give it"
        };
    }
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const leases_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without{
        exit_code::usage,
        "leases are held by the processes that run: a database does not show them",
        "name the server with --url"
    };
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) {
            return options.released.empty() ? list(asked, &options, out)
                                            : release(asked, &options, out);
        }
    );
}

}  // namespace convene
