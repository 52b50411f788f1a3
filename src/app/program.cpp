// SPDX-License-Identifier: Apache-2.0
// The program: command line, configuration, log, then the command.
#include "app/program.hpp"

#include <csignal>
#include <utility>
#include <variant>

#include "app/command.hpp"
#include "app/command_line.hpp"
#include "app/database.hpp"
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

exit_code run(console& terminal, const configuration& settings, const command_line& line) {
    if (std::holds_alternative<print_config_options>(line.command)) {
        terminal.out.write(print_config(settings));
        return exit_code::ok;
    }
    command_context with;
    with.settings = &settings;
    with.organization = line.organization;
    with.terminal = &terminal;
    if (!std::holds_alternative<version_options>(line.command)) {
        auto database = sqlite_path(settings.text("DB_URL"));
        if (!database) {
            return report(terminal, database.error());
        }
        with.database = std::move(*database);
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
