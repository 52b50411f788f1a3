// SPDX-License-Identifier: Apache-2.0
// The command line, declared once for CLI11: settings by their table, then the commands, each group in a file of its own.
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include "app/command_line/agent_commands.hpp"
#include "app/command_line/conversation_commands.hpp"
#include "app/command_line/operating_commands.hpp"
#include "base/config/setting.hpp"
#include "base/config/spelling.hpp"

namespace convene {

namespace {

constexpr std::string_view about =
    "Conversations in rooms that stay in order: every message gets the next index of its room in "
    "the "
    "transaction\nthat stores it, and is delivered in that order, also after a crash.";

constexpr std::string_view exit_codes =
    "Exit codes: 0 done; 1 partly done, see the messages; 2 wrong usage or setting; 3 input "
    "refused, nothing\n"
    "stored; 4 another process writes the database; 5 a problem of the database or of the server; "
    "6 output\n"
    "could not be written; 130, 143 stopped by SIGINT, SIGTERM. `doctor`: 0 sound, 1 warnings, 2 "
    "problems.";

constexpr std::string_view settings_group = "Settings (also by environment and file)";

/// What all commands have, and where CLI11 puts what it reads of it.
class command_parser {
   public:
    command_parser() : app_(std::string{about}, "convene") {
        app_.footer(std::string{exit_codes});
        app_.require_subcommand(0, 1);
        declare_settings();
        conversations_.declare(commands_);
        operating_.declare(commands_);
        agents_.declare(commands_);
    }

    parsed_command_line parse(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::Success&) {
            return help_text{app_.help()};
        } catch (const CLI::ParseError& error) {
            return wrong_usage(error.what());
        }
        if (prints_config_) {
            return taken(print_config_options{});
        }
        if (app_.get_subcommands().empty()) {
            return wrong_usage("a command is needed");
        }
        return taken(commands_.take());
    }

   private:
    // -- what all commands have -------------------------------------------------------------------

    void declare_settings() {
        app_.set_help_flag("-h,--help", "Show this help, or that of a command");
        app_.add_option(
                "--organization",
                organization_,
                "Whose rooms; left out: those of nobody in particular"
        )
            ->type_name("ID");
        app_.add_option("--config", config_file_, "A TOML file with settings; also CONVENE_CONFIG")
            ->type_name("FILE");
        app_.add_flag(
            "--print-config",
            prints_config_,
            "Print the settings in force, secrets hidden, and stop"
        );
        for (const setting& what : all_settings()) {
            declare_setting(what);
        }
    }

    void declare_setting(const setting& what) {
        const std::string flag = flag_spelling(what);
        const std::string names = alias_of(what) + flag;
        const std::string help = std::string{what.help} +
                                 " Default: " + std::string{what.default_value};
        take_flag(names, flag, help);
        if (what.kind == setting_kind::secret) {
            take_flag(flag + "-file", flag + "-file", "The same, read from this file");
        }
    }

    /// The name that is typed, before the one that the table's rule makes.
    static std::string alias_of(const setting& what) {
        if (what.name == "DB_URL") {
            return "--db,";
        }
        return what.name == "CA" ? "--ca-file," : "";
    }

    void take_flag(const std::string& names, const std::string& key, const std::string& help) {
        const auto keep = [this, key](const std::string& value) { flags_[key] = value; };
        app_.add_option_function<std::string>(names, keep, help)
            ->group(std::string{settings_group})
            ->type_name("VALUE");
    }

    // -- the end ----------------------------------------------------------------------------------

    [[nodiscard]] command_line taken(command_options command) const {
        command_line line;
        line.sources.flags = flags_;
        line.sources.file = config_file_;
        line.organization = organization_id{organization_};
        line.command = std::move(command);
        return line;
    }

    [[nodiscard]] const CLI::App* chosen() const {
        const std::vector<CLI::App*> commands = app_.get_subcommands();
        return commands.empty() ? &app_ : commands.front();
    }

    [[nodiscard]] failure wrong_usage(std::string text) const {
        const std::string name = chosen() == &app_ ? std::string{} : chosen()->get_name() + " ";
        std::replace(text.begin(), text.end(), '\n', ' ');
        return {exit_code::usage, std::move(text), "see convene " + name + "--help"};
    }

    CLI::App app_;
    std::map<std::string, std::string> flags_;
    std::optional<std::filesystem::path> config_file_;
    std::string organization_;
    bool prints_config_ = false;

    command_set commands_{app_};
    conversation_commands conversations_;
    operating_commands operating_;
    agent_commands agents_;
};

}  // namespace

parsed_command_line parse_command_line(int argc, const char* const* argv) {
    command_parser parser;
    return parser.parse(argc, argv);
}

}  // namespace convene
