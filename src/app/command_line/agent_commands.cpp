// SPDX-License-Identifier: Apache-2.0
// How the commands on agents are called.
#include "app/command_line/agent_commands.hpp"

#include "base/config/value.hpp"

namespace convene {

namespace {

/// How far ahead a wake may be; the server says the same of the time of a clock.
constexpr setting wake_delay{
    .name = "IN",
    .flag = "--in",
    .kind = setting_kind::duration,
    .default_value = "1m",
    .help = "With set: after this time, such as 90s, 15m or 2h",
    .min = 1000,
    .max = 31'536'000'000,
};

}  // namespace

void agent_commands::declare(command_set& commands) {
    declare_turns(commands);
    declare_wakes(commands);
    declare_skills(commands);
    declare_secrets(commands);
    declare_approvals(commands);
    declare_executions(commands);
    declare_run(commands);
}

void agent_commands::declare_turns(command_set& commands) {
    CLI::App* const command = commands.declare(
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
    add_reason(command, turns_.reason);
    add_json(command, turns_.form);
    commands.choose(command, turns_, [this, asked] {
        const bool retries = asked->count() != 0 && asked->as<std::string>() == "retry";
        if (retries) {
            require_argument(turns_.retried, "ID");
        } else if (!turns_.retried.empty()) {
            throw CLI::ValidationError("ID", "is of retry");
        }
    });
}

void agent_commands::declare_wakes(command_set& commands) {
    CLI::App* const command = commands.declare(
        "wakes", "List what is said to a room's agent later, say something later, or not", wakes_
    );
    add_choice<wake_verb>(
        command,
        "VERB",
        {{"list", wake_verb::list}, {"set", wake_verb::set}, {"cancel", wake_verb::cancel}},
        wakes_.verb,
        "What to do"
    )
        ->required();
    command->add_option("ROOM", wakes_.room, "The room's external id, or its id")->required();
    command->add_option(
        "TEXT",
        wakes_.said,
        "With set: what is said then; with cancel: the wake, as the list has it"
    );
    const auto delay = [this](const std::string& given) {
        const auto read = parse_setting(wake_delay, given);
        if (!read) {
            throw CLI::ValidationError("--in", "is not " + describe_allowed(wake_delay));
        }
        wakes_.in = std::get<milliseconds>(*read);
    };
    CLI::Option* const in = command->add_option_function<std::string>(
        "--in", delay, std::string{wake_delay.help}
    );
    in->type_name("DURATION");
    command->add_option("--at", wakes_.at, "With set: at this time, such as 2027-01-04T08:00:00Z")
        ->type_name("TIME")
        ->excludes(in);
    add_json(command, wakes_.form);
    commands.choose(command, wakes_, [this] {
        const bool has_time = wakes_.in || !wakes_.at.empty();
        if (wakes_.verb != wake_verb::list) {
            require_argument(wakes_.said, wakes_.verb == wake_verb::set ? "TEXT" : "ID");
        }
        if (wakes_.verb == wake_verb::set && !has_time) {
            throw CLI::RequiredError("--in or --at");
        }
        if (wakes_.verb != wake_verb::set && has_time) {
            throw CLI::ValidationError(wakes_.in ? "--in" : "--at", "is of set");
        }
    });
}

void agent_commands::declare_skills(command_set& commands) {
    CLI::App* const command = commands.declare(
        "skills", "List the skills of a server, or add, pull and remove one", skills_
    );
    add_choice<skill_verb>(
        command,
        "VERB",
        {{"list", skill_verb::list},
         {"add", skill_verb::add},
         {"pull", skill_verb::pull},
         {"remove", skill_verb::remove}},
        skills_.verb,
        "Left out: lists them"
    );
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
    add_json(command, skills_.form);
    commands.choose(command, skills_, [this] {
        if (skills_.verb != skill_verb::list) {
            require_argument(skills_.skill, "SKILL");
        }
        if (skills_.verb == skill_verb::add) {
            require_argument(skills_.url, "URL");
        }
    });
}

void agent_commands::declare_secrets(command_set& commands) {
    CLI::App* const command = commands.declare(
        "secrets", "List the secrets that a server's skills name, or set and remove one", secrets_
    );
    add_choice<secret_verb>(
        command,
        "VERB",
        {{"list", secret_verb::list}, {"set", secret_verb::set}, {"remove", secret_verb::remove}},
        secrets_.verb,
        "Left out: lists them"
    );
    command->add_option("NAME", secrets_.name, "What skills name it by");
    command
        ->add_option(
            "--value-file",
            secrets_.value_file,
            "With set: a file with the value in its only line; never the value itself, which a "
            "list of processes would show"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--description", secrets_.description, "With set; left out: the one that it has stays"
        )
        ->type_name("TEXT");
    add_json(command, secrets_.form);
    commands.choose(command, secrets_, [this] {
        const bool is_set = secrets_.verb == secret_verb::set;
        if (secrets_.verb != secret_verb::list) {
            require_argument(secrets_.name, "NAME");
        }
        if (is_set) {
            require_argument(secrets_.value_file.native(), "--value-file");
        }
        if (!is_set && (!secrets_.value_file.empty() || secrets_.description)) {
            throw CLI::ValidationError(
                secrets_.description ? "--description" : "--value-file", "is of set"
            );
        }
    });
}

void agent_commands::declare_approvals(command_set& commands) {
    CLI::App* const command = commands.declare(
        "approvals", "List what agents ask in a server's sessions, or decide it", approvals_
    );
    add_choice<approval_verb>(
        command,
        "VERB",
        {{"list", approval_verb::list},
         {"approve", approval_verb::approve},
         {"reject", approval_verb::reject},
         {"return", approval_verb::return_}},
        approvals_.verb,
        "Left out: lists what is open"
    );
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
    add_json(command, approvals_.form);
    commands.choose(command, approvals_, [this] {
        if (approvals_.verb != approval_verb::list) {
            require_argument(approvals_.approval, "ID");
        }
    });
}

void agent_commands::declare_executions(command_set& commands) {
    CLI::App* const command = commands.declare(
        "executions", "List the executions of workflows, show one, or end it", executions_
    );
    add_choice<execution_verb>(
        command,
        "VERB",
        {{"list", execution_verb::list},
         {"show", execution_verb::show},
         {"cancel", execution_verb::cancel}},
        executions_.verb,
        "Left out: lists them"
    );
    command->add_option("ID", executions_.id, "The execution");
    add_json(command, executions_.form);
    commands.choose(command, executions_, [this] {
        if (executions_.verb != execution_verb::list) {
            require_argument(executions_.id, "ID");
        }
    });
}

void agent_commands::declare_run(command_set& commands) {
    CLI::App* const command = commands.declare(
        "run", "Execute a workflow, or follow an execution, to its end", run_
    );
    command->add_option("ID", run_.target, "A workflow, or an execution")->required();
    command->add_flag(
        "--draft", run_.is_draft, "Of a workflow: try its draft; its tools are not called"
    );
    add_json(command, run_.form);
}

}  // namespace convene
