// SPDX-License-Identifier: Apache-2.0
// How the commands on conversations are called.
#include "app/command_line/conversation_commands.hpp"

#include <cstdint>
#include <limits>

namespace convene {

namespace {

void add_room(CLI::App* command, std::string& room) {
    command->add_option("ROOM", room, "The room's external id, or its id")->required();
}

}  // namespace

void conversation_commands::declare(command_set& commands) {
    declare_import(commands);
    declare_export(commands);
    declare_send(commands);
    declare_tail(commands);
    declare_rooms(commands);
}

void conversation_commands::declare_import(command_set& commands) {
    CLI::App* const command = commands.declare(
        "import",
        "Bring in conversations: dialogues or what `export` wrote, one JSON object a line",
        import_
    );
    command->add_option("FILE", import_.input, "The file, or - for standard input")->required();
    const auto deliver = [this](const std::string& target) {
        constexpr std::string_view prefix = "file:";
        if (!target.starts_with(prefix) || target.size() == prefix.size()) {
            throw CLI::ValidationError("--deliver-to", "is not of the form file:PATH");
        }
        import_.deliver_to = target.substr(prefix.size());
    };
    command
        ->add_option_function<std::string>(
            "--deliver-to", deliver, "Deliver every message of the rooms to a file of JSON lines"
        )
        ->type_name("file:PATH");
    command->add_option("--concurrency", import_.concurrency, "How many rooms at once. Default: 64")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    add_json(command, import_.form);
}

void conversation_commands::declare_export(command_set& commands) {
    CLI::App* const command = commands.declare(
        "export", "Write conversations as JSON lines, the same bytes every time", export_
    );
    command->add_option("--room", export_.room, "Only this room (external id, or id)")
        ->type_name("ROOM");
    command
        ->add_option("-o,--output", export_.output, "Write to this file instead of standard output")
        ->type_name("FILE");
}

void conversation_commands::declare_send(command_set& commands) {
    CLI::App* const command = commands.declare("send", "Send a message into a room", send_);
    add_room(command, send_.room);
    command->add_option("TEXT", send_.text, "What is said, or - to read it from standard input")
        ->required();
    command->add_option("--as", send_.speaker, "Who says it. Default: operator")->type_name("NAME");
    command->add_option("--key", send_.key, "Idempotency key: the same key sends once")
        ->type_name("KEY");
    command->add_option("--reply-to", send_.reply_to, "The message it answers: index or event id")
        ->type_name("EVENT");
    command->add_flag_callback(
        "--create",
        [this] { send_.if_missing = missing_room::create; },
        "Make the room if there is none"
    );
    add_json(command, send_.form);
}

void conversation_commands::declare_tail(command_set& commands) {
    CLI::App* const command = commands.declare(
        "tail", "Show a room's messages, also while others write", tail_
    );
    add_room(command, tail_.room);
    command->add_flag_callback(
        "--follow,-f",
        [this] { tail_.mode = tail_mode::follow; },
        "Go on with what comes, until Ctrl-C"
    );
    const auto after = [this](const std::int64_t& index) { tail_.after = event_index{index}; };
    command
        ->add_option_function<std::int64_t>(
            "--after", after, "Only what has a greater index; -1: everything. Default: the last 20"
        )
        ->check(CLI::Range(std::int64_t{-1}, std::numeric_limits<std::int64_t>::max() - 1))
        ->type_name("INDEX");
    add_json(command, tail_.form);
}

void conversation_commands::declare_rooms(command_set& commands) {
    CLI::App* const command = commands.declare(
        "rooms", "List rooms with their status and counts", rooms_
    );
    add_choice<room_status>(
        command,
        "--status",
        {{"active", room_status::active},
         {"paused", room_status::paused},
         {"closed", room_status::closed},
         {"archived", room_status::archived}},
        rooms_.status,
        "Only rooms in this state"
    );
    add_json(command, rooms_.form);
}

}  // namespace convene
