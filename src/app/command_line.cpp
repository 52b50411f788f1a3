// SPDX-License-Identifier: Apache-2.0
// The command line, declared once for CLI11: settings by their table, then each command with its options.
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

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

/// The declarations, and where CLI11 puts what it reads.
class command_parser {
   public:
    command_parser() : app_(std::string{about}, "convene") {
        app_.footer(std::string{exit_codes});
        app_.require_subcommand(0, 1);
        declare_settings();
        declare_import();
        declare_export();
        declare_send();
        declare_tail();
        declare_rooms();
        declare_dedupe();
        declare_lanes();
        declare_leases();
        declare_turns();
        declare_skills();
        declare_approvals();
        declare_executions();
        declare_run();
        declare_doctor();
        declare_serve();
        declare_migrate();
        declare_version();
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
        return taken(std::move(chosen_));
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

    /// A command that fills `Options`; the last one on the command line is the one that is run.
    template <class Options>
    CLI::App* declare(const std::string& name, const std::string& help, Options& options) {
        CLI::App* const command = app_.add_subcommand(name, help);
        command->fallthrough();
        command->footer("Settings such as --db and --url go with every command: see convene --help."
        );
        command->callback([this, &options] { chosen_ = options; });
        return command;
    }

    static void declare_json(CLI::App* command, output_form& form) {
        command->add_flag_callback(
            "--json", [&form] { form = output_form::json; }, "Print JSON, for programs"
        );
    }

    static void declare_room(CLI::App* command, std::string& room) {
        command->add_option("ROOM", room, "The room's external id, or its id")->required();
    }

    // -- the commands -----------------------------------------------------------------------------

    void declare_import() {
        CLI::App* const command = declare(
            "import",
            "Bring in conversations: dialogues or what `export` wrote, one JSON object a line",
            import_
        );
        command->add_option("FILE", import_.input, "The file, or - for standard input")->required();
        const auto deliver = [this](const std::string& target) { set_deliver_to(target); };
        command
            ->add_option_function<std::string>(
                "--deliver-to",
                deliver,
                "Deliver every message of the rooms to a file of JSON lines"
            )
            ->type_name("file:PATH");
        command
            ->add_option(
                "--concurrency", import_.concurrency, "How many rooms at once. Default: 64"
            )
            ->check(CLI::Range(1, 1024))
            ->type_name("N");
        declare_json(command, import_.form);
    }

    void set_deliver_to(const std::string& target) {
        constexpr std::string_view prefix = "file:";
        if (!target.starts_with(prefix) || target.size() == prefix.size()) {
            throw CLI::ValidationError("--deliver-to", "is not of the form file:PATH");
        }
        import_.deliver_to = target.substr(prefix.size());
    }

    void declare_export() {
        CLI::App* const command = declare(
            "export", "Write conversations as JSON lines, the same bytes every time", export_
        );
        command->add_option("--room", export_.room, "Only this room (external id, or id)")
            ->type_name("ROOM");
        command
            ->add_option(
                "-o,--output", export_.output, "Write to this file instead of standard output"
            )
            ->type_name("FILE");
    }

    void declare_send() {
        CLI::App* const command = declare("send", "Send a message into a room", send_);
        declare_room(command, send_.room);
        command->add_option("TEXT", send_.text, "What is said, or - to read it from standard input")
            ->required();
        command->add_option("--as", send_.speaker, "Who says it. Default: operator")
            ->type_name("NAME");
        command->add_option("--key", send_.key, "Idempotency key: the same key sends once")
            ->type_name("KEY");
        command
            ->add_option("--reply-to", send_.reply_to, "The message it answers: index or event id")
            ->type_name("EVENT");
        command->add_flag_callback(
            "--create",
            [this] { send_.if_missing = missing_room::create; },
            "Make the room if there is none"
        );
        declare_json(command, send_.form);
    }

    void declare_tail() {
        CLI::App* const command = declare(
            "tail", "Show a room's messages, also while others write", tail_
        );
        declare_room(command, tail_.room);
        command->add_flag_callback(
            "--follow,-f",
            [this] { tail_.mode = tail_mode::follow; },
            "Go on with what comes, until Ctrl-C"
        );
        const auto after = [this](const std::int64_t& index) { tail_.after = event_index{index}; };
        command
            ->add_option_function<std::int64_t>(
                "--after",
                after,
                "Only what has a greater index; -1: everything. Default: the last 20"
            )
            ->check(CLI::Range(std::int64_t{-1}, std::numeric_limits<std::int64_t>::max() - 1))
            ->type_name("INDEX");
        declare_json(command, tail_.form);
    }

    void declare_rooms() {
        CLI::App* const command = declare(
            "rooms", "List rooms with their status and counts", rooms_
        );
        const std::map<std::string, room_status> words{
            {"active", room_status::active},
            {"paused", room_status::paused},
            {"closed", room_status::closed},
            {"archived", room_status::archived},
        };
        const auto only = [this, words](const std::string& word) {
            const auto found = words.find(word);
            if (found == words.end()) {
                throw CLI::ValidationError(
                    "--status", "is none of active, paused, closed, archived"
                );
            }
            rooms_.status = found->second;
        };
        command->add_option_function<std::string>("--status", only, "Only rooms in this state")
            ->type_name("active|paused|closed|archived");
        declare_json(command, rooms_.form);
    }

    void declare_dedupe() {
        CLI::App* const command = declare(
            "dedupe", "Find duplicate indexes of an old database, and repair them", dedupe_
        );
        command->add_flag_callback(
            "--apply",
            [this] { dedupe_.mode = repair_mode::apply; },
            "Repair; left out: only say what would be done"
        );
        declare_json(command, dedupe_.form);
    }

    void declare_lanes() {
        CLI::App* const command = declare(
            "lanes", "List lanes of deliveries, or stop, move on and repeat one by hand", lanes_
        );
        const auto verb = [this](const std::string& word) {
            static const std::map<std::string, lane_verb> words{
                {"pause", lane_verb::pause},
                {"resume", lane_verb::resume},
                {"skip", lane_verb::skip},
                {"redeliver", lane_verb::redeliver},
            };
            const auto found = words.find(word);
            if (found == words.end()) {
                throw CLI::ValidationError("VERB", "is none of pause, resume, skip, redeliver");
            }
            lanes_.verb = found->second;
        };
        command->add_option_function<std::string>("VERB", verb, "Left out: lists what is behind")
            ->type_name("pause|resume|skip|redeliver");
        command->add_option("ROOM", lanes_.room, "The room's external id, or its id");
        command
            ->add_option("--index", lanes_.index, "With skip: only if this event is still the head")
            ->check(CLI::NonNegativeNumber)
            ->type_name("INDEX");
        command
            ->add_option(
                "--event", lanes_.event, "With redeliver: this event, not the head or the last one"
            )
            ->type_name("ID");
        command->add_option("--reason", lanes_.reason, "For the server's audit trail")
            ->type_name("TEXT");
        declare_json(command, lanes_.form);
        command->callback([this] {
            if (lanes_.verb != lane_verb::list && lanes_.room.empty()) {
                throw CLI::RequiredError("ROOM");
            }
            chosen_ = lanes_;
        });
    }

    void declare_leases() {
        CLI::App* const command = declare(
            "leases", "List the leases of a server, or take one from its holder", leases_
        );
        const auto verb = [](const std::string& word) {
            if (word != "release") {
                throw CLI::ValidationError("VERB", "is not release");
            }
        };
        CLI::Option* const releasing = command->add_option_function<std::string>(
            "VERB", verb, "Left out: lists them"
        );
        releasing->type_name("release");
        command->add_option("NAME", leases_.released, "As the list has it");
        command->add_flag_callback(
            "--confirm",
            [this] { leases_.mode = release_mode::confirmed; },
            "With release: do it; left out: only say what would fall"
        );
        command->add_flag_callback(
            "--end-session",
            [this] { leases_.otherwise = stubborn_holder::loses_its_session; },
            "With --confirm: a holder that has not let go after five seconds loses its session"
        );
        command->add_flag_callback(
            "--waiting",
            [this] { leases_.view = lease_view::waiting; },
            "Only those that somebody waits for"
        );
        command->add_option("--reason", leases_.reason, "For the server's audit trail")
            ->type_name("TEXT");
        declare_json(command, leases_.form);
        command->callback([this, releasing] {
            if (releasing->count() != 0 && leases_.released.empty()) {
                throw CLI::RequiredError("NAME");
            }
            chosen_ = leases_;
        });
    }

    void declare_turns() {
        CLI::App* const command = declare(
            "turns", "List turns of agent sessions, or run one again", turns_
        );
        const auto verb = [](const std::string& word) {
            if (word != "list" && word != "retry") {
                throw CLI::ValidationError("VERB", "is none of list, retry");
            }
        };
        CLI::Option* const asked = command->add_option_function<std::string>(
            "VERB", verb, "Left out: lists them"
        );
        asked->type_name("list|retry");
        command->add_option("ID", turns_.retried, "With retry: as the list has it");
        command->add_option("--status", turns_.status, "Only these")
            ->check(CLI::IsMember({"queued", "running", "done", "failed", "quarantined"}))
            ->type_name("STATUS");
        command->add_option("--reason", turns_.reason, "For the server's audit trail")
            ->type_name("TEXT");
        declare_json(command, turns_.form);
        command->callback([this, asked] {
            const bool retries = asked->count() != 0 && asked->as<std::string>() == "retry";
            if (retries && turns_.retried.empty()) {
                throw CLI::RequiredError("ID");
            }
            if (!retries && !turns_.retried.empty()) {
                throw CLI::ValidationError("ID", "is of retry");
            }
            chosen_ = turns_;
        });
    }

    void declare_skills() {
        CLI::App* const command = declare(
            "skills", "List the skills of a server, or add, pull and remove one", skills_
        );
        const auto verb = [this](const std::string& word) {
            static const std::map<std::string, skill_verb> words{
                {"list", skill_verb::list},
                {"add", skill_verb::add},
                {"pull", skill_verb::pull},
                {"remove", skill_verb::remove},
            };
            const auto found = words.find(word);
            if (found == words.end()) {
                throw CLI::ValidationError("VERB", "is none of list, add, pull, remove");
            }
            skills_.verb = found->second;
        };
        command->add_option_function<std::string>("VERB", verb, "Left out: lists them")
            ->type_name("list|add|pull|remove");
        command->add_option("SKILL", skills_.skill, "Its name, or its id");
        command->add_option("URL", skills_.url, "With add: its git repository");
        command->add_option("--reference", skills_.reference, "With add: a branch, tag or commit")
            ->type_name("REF");
        command->add_option("--path", skills_.path, "With add: the folder with its SKILL.md")
            ->type_name("PATH");
        command->add_option("--username", skills_.username, "With add: who reads the repository")
            ->type_name("NAME");
        CLI::Option* const password = command
                                          ->add_option(
                                              "--password-file",
                                              skills_.password_file,
                                              "With --username: a file with the password"
                                          )
                                          ->type_name("FILE");
        command
            ->add_option(
                "--secret", skills_.secret, "With --username: a secret of the server's, by its name"
            )
            ->type_name("SECRET")
            ->excludes(password);
        command->add_flag_callback(
            "--wait",
            [this] { skills_.waits = pull_patience::until_ended; },
            "With add and pull: until the pull has ended, for half a minute"
        );
        declare_json(command, skills_.form);
        command->callback([this] {
            if (skills_.verb != skill_verb::list && skills_.skill.empty()) {
                throw CLI::RequiredError("SKILL");
            }
            if (skills_.verb == skill_verb::add && skills_.url.empty()) {
                throw CLI::RequiredError("URL");
            }
            chosen_ = skills_;
        });
    }

    void declare_approvals() {
        CLI::App* const command = declare(
            "approvals", "List what agents ask in a server's sessions, or decide it", approvals_
        );
        const auto verb = [this](const std::string& word) {
            static const std::map<std::string, approval_verb> words{
                {"list", approval_verb::list},
                {"approve", approval_verb::approve},
                {"reject", approval_verb::reject},
                {"return", approval_verb::return_},
            };
            const auto found = words.find(word);
            if (found == words.end()) {
                throw CLI::ValidationError("VERB", "is none of list, approve, reject, return");
            }
            approvals_.verb = found->second;
        };
        command->add_option_function<std::string>("VERB", verb, "Left out: lists what is open")
            ->type_name("list|approve|reject|return");
        command->add_option("ID", approvals_.approval, "The approval, as the list has it");
        command
            ->add_option(
                "--status", approvals_.status, "With list: only those in this state; empty: all"
            )
            ->type_name("WORD");
        command
            ->add_option(
                "--response",
                approvals_.response,
                "For the agent: a text, or JSON; of a question the answer"
            )
            ->type_name("TEXT");
        declare_json(command, approvals_.form);
        command->callback([this] {
            if (approvals_.verb != approval_verb::list && approvals_.approval.empty()) {
                throw CLI::RequiredError("ID");
            }
            chosen_ = approvals_;
        });
    }

    void declare_executions() {
        CLI::App* const command = declare(
            "executions", "List the executions of workflows, show one, or end it", executions_
        );
        const auto verb = [this](const std::string& word) {
            static const std::map<std::string, execution_verb> words{
                {"list", execution_verb::list},
                {"show", execution_verb::show},
                {"cancel", execution_verb::cancel},
            };
            const auto found = words.find(word);
            if (found == words.end()) {
                throw CLI::ValidationError("VERB", "is none of list, show, cancel");
            }
            executions_.verb = found->second;
        };
        command->add_option_function<std::string>("VERB", verb, "Left out: lists them")
            ->type_name("list|show|cancel");
        command->add_option("ID", executions_.id, "The execution");
        declare_json(command, executions_.form);
        command->callback([this] {
            if (executions_.verb != execution_verb::list && executions_.id.empty()) {
                throw CLI::RequiredError("ID");
            }
            chosen_ = executions_;
        });
    }

    void declare_run() {
        CLI::App* const command = declare(
            "run", "Execute a workflow, or follow an execution, to its end", run_
        );
        command->add_option("ID", run_.target, "A workflow, or an execution")->required();
        command->add_flag(
            "--draft", run_.is_draft, "Of a workflow: try its draft; its tools are not called"
        );
        declare_json(command, run_.form);
    }

    void declare_doctor() {
        declare_json(
            declare("doctor", "Check the database and this setup, or the server of --url", doctor_),
            doctor_.form
        );
    }

    void declare_serve() {
        CLI::App* const command = declare(
            "serve", "Serve rooms over HTTP, with the web app, until told to stop", serve_
        );
        command
            ->add_option(
                "--workers", serve_.workers, "How many processes; a SQLite database has one"
            )
            ->check(CLI::PositiveNumber);
    }

    void declare_migrate() {
        CLI::App* const command = declare(
            "migrate", "Bring the layout of the database up to date, and nothing else", migrate_
        );
        command->add_flag_callback(
            "--after-restore",
            [this] { migrate_.noted = restore_note::after_restore; },
            "The database was restored from a copy: void what workers and readers know of it"
        );
        declare_json(command, migrate_.form);
    }

    void declare_version() {
        declare_json(
            declare(
                "version", "Show the version of this program, and of the server of --url", version_
            ),
            version_.form
        );
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

    import_options import_;
    export_options export_;
    send_options send_;
    tail_options tail_;
    rooms_options rooms_;
    dedupe_options dedupe_;
    lanes_options lanes_;
    leases_options leases_;
    turns_options turns_;
    skills_options skills_;
    approvals_options approvals_;
    executions_options executions_;
    run_options run_;
    doctor_options doctor_;
    serve_options serve_;
    migrate_options migrate_;
    version_options version_;
    command_options chosen_;
};

}  // namespace

parsed_command_line parse_command_line(int argc, const char* const* argv) {
    command_parser parser;
    return parser.parse(argc, argv);
}

}  // namespace convene
