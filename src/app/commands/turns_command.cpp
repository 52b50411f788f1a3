// SPDX-License-Identifier: Apache-2.0
// `convene turns`: turns of agent sessions, and running one again that failed or was set aside.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/event_view.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "app/remote/server_operation.hpp"
#include "base/assert.hpp"
#include "http/view/turn_view.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

namespace {

constexpr std::size_t most_listed = 500;

std::string for_people(const turn_report& turn) {
    return fmt::format(
        "{:<11} {:>12.1f}  {:>8}  {:<36}  {:<36}  {:<36}  {}",
        turn.status,
        turn.age_seconds,
        turn.attempts,
        printable_name(turn.id),
        printable_name(turn.session),
        printable_name(turn.worker),
        printable_name(turn.reason)
    );
}

void print(const std::vector<turn_report>& turns, output_form form, output_stream& out) {
    if (form == output_form::text) {
        out.write_line(out.styled(
            text_style::dim,
            fmt::format(
                "{:<11} {:>12}  ATTEMPTS  {:<36}  {:<36}  {:<36}  REASON",
                "STATUS",
                "AGE (s)",
                "TURN",
                "SESSION",
                "WORKER"
            )
        ));
    }
    for (const turn_report& turn : turns) {
        out.write_line(form == output_form::text ? for_people(turn) : turn.json);
    }
}

std::string as_text(const session_turn& turn, wall_time now) {
    json_writer out;
    write_turn(out, turn, now);
    return out.take().str();
}

void print_retried(const std::string& turn, output_form form, output_stream& out) {
    out.write_line(form == output_form::text ? "it waits for a worker" : turn);
}

// -- of a server -----------------------------------------------------------------------------------

awaitable<outcome<exit_code>> ask_server(
    server_conversations* asked, const turns_options* how, output_stream* out
) {
    if (how->retried.empty()) {
        const auto turns = co_await list_turns(asked, how->status);
        if (!turns) {
            co_return turns.error();
        }
        print(*turns, how->form, *out);
        co_return exit_code::ok;
    }
    const auto turn = co_await retry_turn(asked, *how);
    if (!turn) {
        co_return turn.error();
    }
    print_retried(*turn, how->form, *out);
    co_return exit_code::ok;
}

// -- of a database ---------------------------------------------------------------------------------

awaitable<outcome<exit_code>> show_stored(
    conversation_store* store,
    organization_id organization,
    const turns_options* how,
    output_stream* out
) {
    ops::list_turns request;
    request.organization = std::move(organization);
    request.status = turn_status_of(how->status);
    request.limit = most_listed;
    const auto found = co_await store->run(std::move(request));
    if (!found) {
        co_return store_failure(found.error(), "listing the turns");
    }
    const wall_time now = system_wall_clock().now();
    std::vector<turn_report> turns;
    for (const session_turn& turn : *found) {
        std::optional<turn_report> report = read_turn(as_text(turn, now));
        CONVENE_ASSERT(report.has_value(), "it was just written");
        turns.push_back(*std::move(report));
    }
    print(turns, how->form, *out);
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> change_stored(
    conversation_store* store,
    organization_id organization,
    const turns_options* how,
    output_stream* out
) {
    ops::retry_turn request{std::move(organization), turn_id{how->retried}};
    const auto queued = co_await store->run(std::move(request));
    if (!queued && queued.error() == errc::not_found) {
        co_return failure{
            exit_code::refused,
            fmt::format("ID: there is no turn '{}'", printable_name(how->retried)),
            "`convene turns` lists them"
        };
    }
    if (!queued && queued.error() == errc::room_changed) {
        co_return failure{
            exit_code::refused, "only a turn that failed or is quarantined can be run again", {}
        };
    }
    if (!queued) {
        co_return store_failure(queued.error(), "changing the turn");
    }
    print_retried(as_text(*queued, system_wall_clock().now()), how->form, *out);
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const turns_options& options) {
    output_stream* const out = &with.terminal->out;
    if (with.server) {
        return run_asking(
            [&with](loop& where) -> outcome<std::unique_ptr<server_conversations>> {
                return std::make_unique<server_conversations>(where, *with.server);
            },
            [&options, out](server_conversations* asked) {
                return ask_server(asked, &options, out);
            }
        );
    }
    if (options.retried.empty()) {
        return run_asking(
            [&with](loop& where) { return open_for_reading(where, with.database); },
            [&options, &with, out](conversation_store* store) {
                return show_stored(store, with.organization, &options, out);
            }
        );
    }
    return run_asking(
        [&with](loop& where) {
            return open_for_writing(where, with.database, sqlite_creation::must_exist);
        },
        [&options, &with, out](conversation_store* store) {
            return change_stored(store, with.organization, &options, out);
        }
    );
}

}  // namespace convene
