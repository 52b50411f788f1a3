// SPDX-License-Identifier: Apache-2.0
// How the commands of operating are called.
#include "app/command_line/operating_commands.hpp"

namespace convene {

void operating_commands::declare(command_set& commands) {
    declare_dedupe(commands);
    declare_lanes(commands);
    declare_leases(commands);
    declare_doctor(commands);
    declare_serve(commands);
    declare_migrate(commands);
    declare_version(commands);
}

void operating_commands::declare_dedupe(command_set& commands) {
    CLI::App* const command = commands.declare(
        "dedupe", "Find duplicate indexes of an old database, and repair them", dedupe_
    );
    command->add_flag_callback(
        "--apply",
        [this] { dedupe_.mode = repair_mode::apply; },
        "Repair; left out: only say what would be done"
    );
    add_json(command, dedupe_.form);
}

void operating_commands::declare_lanes(command_set& commands) {
    CLI::App* const command = commands.declare(
        "lanes", "List lanes of deliveries, or stop, move on and repeat one by hand", lanes_
    );
    add_choice<lane_verb>(
        command,
        "VERB",
        {{"pause", lane_verb::pause},
         {"resume", lane_verb::resume},
         {"skip", lane_verb::skip},
         {"redeliver", lane_verb::redeliver}},
        lanes_.verb,
        "Left out: lists what is behind"
    );
    command->add_option("ROOM", lanes_.room, "The room's external id, or its id");
    command->add_option("--index", lanes_.index, "With skip: only if this event is still the head")
        ->check(CLI::NonNegativeNumber)
        ->type_name("INDEX");
    command
        ->add_option(
            "--event", lanes_.event, "With redeliver: this event, not the head or the last one"
        )
        ->type_name("ID");
    add_reason(command, lanes_.reason);
    add_json(command, lanes_.form);
    commands.choose(command, lanes_, [this] {
        if (lanes_.verb != lane_verb::list) {
            require_argument(lanes_.room, "ROOM");
        }
    });
}

void operating_commands::declare_leases(command_set& commands) {
    CLI::App* const command = commands.declare(
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
    add_reason(command, leases_.reason);
    add_json(command, leases_.form);
    commands.choose(command, leases_, [this, releasing] {
        if (releasing->count() != 0) {
            require_argument(leases_.released, "NAME");
        }
    });
}

void operating_commands::declare_doctor(command_set& commands) {
    CLI::App* const command = commands.declare(
        "doctor", "Check the database and this setup, or the server of --url", doctor_
    );
    add_json(command, doctor_.form);
}

void operating_commands::declare_serve(command_set& commands) {
    CLI::App* const command = commands.declare(
        "serve", "Serve rooms over HTTP, with the web app, until told to stop", serve_
    );
    command
        ->add_option("--workers", serve_.workers, "How many processes; a SQLite database has one")
        ->check(CLI::PositiveNumber);
}

void operating_commands::declare_migrate(command_set& commands) {
    CLI::App* const command = commands.declare(
        "migrate", "Bring the layout of the database up to date, and nothing else", migrate_
    );
    command->add_flag_callback(
        "--after-restore",
        [this] { migrate_.noted = restore_note::after_restore; },
        "The database was restored from a copy: void what workers and readers know of it"
    );
    add_json(command, migrate_.form);
}

void operating_commands::declare_version(command_set& commands) {
    CLI::App* const command = commands.declare(
        "version", "Show the version of this program, and of the server of --url", version_
    );
    add_json(command, version_.form);
}

}  // namespace convene
