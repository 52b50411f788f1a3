// SPDX-License-Identifier: Apache-2.0
// The program: command line, configuration, log, then the command.
#include "app/program.hpp"

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "app/command.hpp"
#include "app/command_line.hpp"
#include "base/config/configuration.hpp"
#include "base/log.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

exit_code report(console& terminal, const failure& what) {
    terminal.report(what);
    return what.ends_with;
}

exit_code report(console& terminal, const std::vector<config_problem>& problems) {
    for (const config_problem& problem : problems) {
        terminal.report({exit_code::usage, problem.message(), {}});
    }
    return exit_code::usage;
}

std::string origin_of(const configuration& settings, std::string_view name) {
    const auto found = std::ranges::find(settings.entries(), name, [](const auto& entry) {
        return entry.what->name;
    });
    return found->origin;
}

server_address address_in(const configuration& settings) {
    server_address server;
    server.url = settings.text("URL");
    while (server.url.ends_with('/')) {
        server.url.pop_back();
    }
    server.token = settings.text("TOKEN");
    server.ca_file = settings.text("CA");
    server.retry_for = settings.duration("RETRY_FOR");
    return server;
}

/// The database or the server, whichever the user said last: a flag goes before what lies in the environment.
outcome<> choose_place(
    command_context& with, const configuration& settings, const command_line& line
) {
    constexpr std::string_view by_flag = "flag";
    const bool is_database_named = origin_of(settings, "DB_URL") == by_flag;
    const bool is_server_named = origin_of(settings, "URL") == by_flag;
    if (is_database_named && is_server_named) {
        return failure{exit_code::usage, "--db and --url name two places", "give one of them"};
    }
    const bool is_serving = std::holds_alternative<serve_options>(line.command);
    const bool has_server = !settings.text("URL").empty();
    if (has_server && (is_server_named || !(is_database_named || is_serving))) {
        if (!line.organization.empty()) {
            return failure{
                exit_code::usage,
                "--organization is for databases: at a server the token says whose rooms",
                "leave it out"
            };
        }
        with.server = address_in(settings);
        return {};
    }
    if (std::holds_alternative<version_options>(line.command)) {
        return {};
    }
    auto database = place_of(settings.text("DB_URL"));
    if (!database) {
        return database.error();
    }
    with.database = std::move(*database);
    return {};
}

exit_code run(console& terminal, const configuration& settings, const command_line& line) {
    if (std::holds_alternative<print_config_options>(line.command)) {
        terminal.out.write(print_config(settings));
        return exit_code::ok;
    }
    command_context with;
    with.settings = &settings;
    with.organization = line.organization;
    with.terminal = &terminal;
    const outcome<> chosen = choose_place(with, settings, line);
    if (!chosen) {
        return report(terminal, chosen.error());
    }
    const auto call = [&with](const auto& options) -> outcome<exit_code> {
        if constexpr (std::is_same_v<decltype(options), const print_config_options&>) {
            return exit_code::ok;
        } else {
            return run_command(with, options);
        }
    };
    const outcome<exit_code> ended = std::visit(call, line.command);
    return ended ? *ended : report(terminal, ended.error());
}

exit_code run(console& terminal, command_line line) {
    if (!line.organization.empty()) {
        const auto checked_id = check_id(line.organization.str(), "--organization");
        if (!checked_id) {
            return report(terminal, refused_value(checked_id.error()));
        }
    }
    line.sources.environment = process_environment();
    const loaded_configuration settings = load_configuration(all_settings(), line.sources);
    if (!settings) {
        return report(terminal, settings.error());
    }
    set_log_level(log_level_of(settings->text("LOG_LEVEL")).value_or(log_level::info));
    return run(terminal, *settings, line);
}

/// Nobody wants to hear that the reader of a pipe has had enough; anything else is said.
exit_code finish_output(console& terminal, exit_code ended) {
    terminal.out.flush();
    terminal.err.flush();
    const error_code& error = terminal.out.error();
    if (!error) {
        return ended;
    }
    if (error != boost::system::errc::broken_pipe) {
        terminal.report({exit_code::output_failed, "standard output: " + error.message(), {}});
    }
    return exit_code::output_failed;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
    // A closed pipe is an error of a write, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    console terminal;
    parsed_command_line parsed = parse_command_line(argc, argv);
    exit_code ended = exit_code::ok;
    if (const auto* help = std::get_if<help_text>(&parsed)) {
        terminal.out.write(help->text);
    } else if (const auto* wrong = std::get_if<failure>(&parsed)) {
        ended = report(terminal, *wrong);
    } else {
        ended = run(terminal, std::get<command_line>(std::move(parsed)));
    }
    return static_cast<int>(finish_output(terminal, ended));
}

}  // namespace convene
