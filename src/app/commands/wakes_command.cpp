// SPDX-License-Identifier: Apache-2.0
// `convene wakes`: what is said to a room's agent later, saying something later, and taking it back.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/event_view.hpp"
#include "app/printable.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_wakes.hpp"
#include "app/room_lookup.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

std::string for_people(const wake_report& wake) {
    return fmt::format(
        "{}  {}  {:<16}  {}",
        time_for_people(wake.at),
        printable_name(wake.id),
        printable_name(wake.acting_for),
        printable(wake.text)
    );
}

void print(const wake_report& wake, output_form form, output_stream& out) {
    out.write_line(form == output_form::text ? for_people(wake) : wake.json);
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, room_id room, output_form form, output_stream* out
) {
    const auto wakes = co_await list_wakes(asked, std::move(room));
    if (!wakes) {
        co_return wakes.error();
    }
    if (form == output_form::text) {
        out->write_line(out->styled(
            text_style::dim,
            fmt::format("{:<19}  {:<36}  {:<16}  TEXT", "NOT BEFORE (UTC)", "ID", "ACTS FOR")
        ));
    }
    for (const wake_report& wake : *wakes) {
        print(wake, form, *out);
    }
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> set(
    server_conversations* asked, room_id room, const wakes_options* how, output_stream* out
) {
    const auto wake = co_await set_wake(asked, std::move(room), *how);
    if (!wake) {
        co_return wake.error();
    }
    print(*wake, how->form, *out);
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> cancel(
    server_conversations* asked, room_id room, const wakes_options* how, output_stream* out
) {
    const outcome<> cancelled = co_await cancel_wake(asked, std::move(room), how->said);
    if (!cancelled) {
        co_return cancelled.error();
    }
    json_writer told;
    told.begin_object().key("id").string(how->said).key("state").string("cancelled").end_object();
    out->write_line(how->form == output_form::text ? "taken back" : told.take().str());
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> run(
    server_conversations* asked, const wakes_options* how, output_stream* out
) {
    const auto found = co_await find_room(asked, how->room);
    if (!found) {
        co_return found.error();
    }
    room_id room = found->room.id;
    switch (how->verb) {
        case wake_verb::set:
            co_return co_await set(asked, std::move(room), how, out);
        case wake_verb::cancel:
            co_return co_await cancel(asked, std::move(room), how, out);
        case wake_verb::list:
            break;
    }
    co_return co_await list(asked, std::move(room), how->form, out);
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const wakes_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without{
        exit_code::usage,
        "agents are woken by the processes that serve",
        "name the server with --url"
    };
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) { return run(asked, &options, out); }
    );
}

}  // namespace convene
