// SPDX-License-Identifier: Apache-2.0
// `convene secrets`: the secrets that a server's skills name, and setting and removing one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_secrets.hpp"
#include "app/secret_file.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

std::string for_people(const secret_report& secret) {
    std::string line = fmt::format(
        "{:<20.20}  {:<24}  {}",
        secret.updated_at,
        printable_name(secret.name),
        printable_name(secret.description)
    );
    for (const std::string& skill : secret.used_by) {
        line += "\n    used by " + printable_name(skill);
    }
    return line;
}

void print(const secret_report& secret, output_form form, output_stream& out) {
    out.write_line(form == output_form::text ? for_people(secret) : secret.json);
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, output_form form, output_stream* out
) {
    const auto secrets = co_await list_secrets(asked);
    if (!secrets) {
        co_return secrets.error();
    }
    if (form == output_form::text) {
        out->write_line(out->styled(
            text_style::dim, fmt::format("{:<20}  {:<24}  DESCRIPTION", "SET (UTC)", "NAME")
        ));
    }
    for (const secret_report& secret : *secrets) {
        print(secret, form, *out);
    }
    co_return exit_code::ok;
}

/// The one that it is given, or the one that it has.
awaitable<outcome<std::string>> description_of(
    server_conversations* asked, const secrets_options* how
) {
    if (how->description) {
        co_return outcome<std::string>{*how->description};
    }
    const auto secrets = co_await list_secrets(asked);
    if (!secrets) {
        co_return secrets.error();
    }
    const auto known = std::ranges::find(*secrets, how->name, &secret_report::name);
    std::string found = known == secrets->end() ? std::string{} : known->description;
    co_return outcome<std::string>{std::move(found)};
}

awaitable<outcome<exit_code>> set(
    server_conversations* asked, const secrets_options* how, output_stream* out
) {
    outcome<std::string> value = read_secret_file("--value-file", how->value_file);
    if (!value) {
        co_return value.error();
    }
    outcome<std::string> description = co_await description_of(asked, how);
    if (!description) {
        co_return description.error();
    }
    const auto stored = co_await set_secret(
        asked, how->name, *std::move(value), *std::move(description)
    );
    if (!stored) {
        co_return stored.error();
    }
    print(*stored, how->form, *out);
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> remove(
    server_conversations* asked, const secrets_options* how, output_stream* out
) {
    const outcome<> removed = co_await remove_secret(asked, how->name);
    if (!removed) {
        co_return removed.error();
    }
    json_writer said;
    said.begin_object().key("name").string(how->name).key("state").string("removed").end_object();
    out->write_line(how->form == output_form::text ? "removed" : said.take().str());
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> run(
    server_conversations* asked, const secrets_options* how, output_stream* out
) {
    switch (how->verb) {
        case secret_verb::set:
            return set(asked, how, out);
        case secret_verb::remove:
            return remove(asked, how, out);
        case secret_verb::list:
            break;
    }
    return list(asked, how->form, out);
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const secrets_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without{
        exit_code::usage,
        "secrets are sealed by the processes that serve",
        "name the server with --url"
    };
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) { return run(asked, &options, out); }
    );
}

}  // namespace convene
