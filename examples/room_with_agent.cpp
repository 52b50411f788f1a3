// SPDX-License-Identifier: Apache-2.0
// A room with two screens and an agent: what one person types appears on the other screen, the
// agent answers, and both screens show the same order. Once in memory, once in a SQLite file.
#include <convene/channels/callback_channel.hpp>
#include <convene/channels/scripted_agent.hpp>
#include <convene/lease.hpp>
#include <convene/loop.hpp>
#include <convene/memory_store.hpp>
#include <convene/room_kit.hpp>
#include <convene/sqlite_store.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace convene;

/// What a person sees: the messages that were delivered to him, in the order in which they came.
struct screen {
    std::string name;
    std::vector<event_index> shown;
};

awaitable<send_result> show(screen* on, delivery_request request) {
    const room_event& event = request.event;
    std::cout << "  [" << on->name << "] " << event.index.value() << ": "
              << readable_text(event.content) << '\n';
    on->shown.push_back(event.index);
    co_return send_result::sent();
}

std::shared_ptr<channel> channel_of(screen* on) {
    auto called = [on](delivery_request request) { return show(on, std::move(request)); };
    return std::make_shared<callback_channel>(channel_id{on->name}, std::move(called));
}

std::shared_ptr<channel> make_agent() {
    agent_script answer;
    answer.say("You said: {text}");
    std::vector<agent_script> scripts{std::move(answer)};
    return std::make_shared<scripted_agent>(channel_id{"helper"}, std::move(scripts));
}

binding bound(std::string channel, channel_kind kind) {
    binding attached;
    attached.channel = channel_id{std::move(channel)};
    attached.kind = kind;
    return attached;
}

/// The room of that name: made, or found where an earlier run left it.
awaitable<result<room_id>> open_room(room_kit* kit) {
    room wanted;
    wanted.id = room_id{"kitchen"};
    std::vector<binding> bindings{
        bound("laptop", channel_kind::transport),
        bound("phone", channel_kind::transport),
        bound("helper", channel_kind::intelligence),
    };
    std::vector<participant> nobody;
    const room_id id = wanted.id;
    const auto made = co_await kit->create_room(
        std::move(wanted), std::move(bindings), std::move(nobody)
    );
    if (!made && made.error() != errc::already_exists) {
        co_return made.error();
    }
    co_return id;
}

/// Sends one message and waits until everybody has it and the agent's answer too.
awaitable<result<>> say(room_kit* kit, room_id room, std::string through, std::string text) {
    outgoing_event sent;
    sent.room = std::move(room);
    sent.channel = channel_id{through};
    sent.participant = participant_id{"owner of the " + through};
    sent.content = content::text(text);
    const auto receipt = co_await kit->send_event(std::move(sent), wait_for::delivered);
    if (!receipt) {
        co_return receipt.error();
    }
    co_return result<>{};
}

awaitable<result<>> talk(room_kit* kit) {
    const auto room = co_await open_room(kit);
    if (!room) {
        co_return room.error();
    }
    const result<> asked = co_await say(kit, *room, "laptop", "Is there any bread left?");
    if (!asked) {
        co_return asked;
    }
    const result<> answered = co_await say(kit, *room, "phone", "Half a loaf.");
    if (!answered) {
        co_return answered;
    }
    const organization_id nobodys;
    const auto now = co_await kit->get_room(nobodys, *room);
    if (!now) {
        co_return now.error();
    }
    std::cout << "  the room holds " << now->room.event_count << " events, delivered up to "
              << now->room.delivered_index.value() << '\n';
    co_return result<>{};
}

/// Starts a kit, has a conversation, and closes everything in order.
awaitable<result<>> run(room_kit* kit) {
    result<> done = co_await kit->init();
    if (done) {
        done = co_await talk(kit);
    }
    co_await kit->close();
    co_return done;
}

bool is_in_order(const screen& seen) {
    for (std::size_t i = 1; i < seen.shown.size(); ++i) {
        if (seen.shown[i] <= seen.shown[i - 1]) {
            return false;
        }
    }
    return !seen.shown.empty();
}

/// True if everything went well.
bool converse(loop& where, conversation_store& store) {
    screen laptop{"laptop", {}};
    screen phone{"phone", {}};
    const auto locks = make_in_memory_lock_manager(where);
    room_kit_parts parts;
    parts.where = &where;
    parts.store = &store;
    parts.locks = locks.get();
    room_kit kit{parts, room_kit_settings{}};
    for (const auto& added : {channel_of(&laptop), channel_of(&phone), make_agent()}) {
        if (!kit.register_channel(added)) {
            return false;
        }
    }
    const result<> done = where.run_until_done(run(&kit));
    if (!done) {
        std::cerr << "failed: " << done.error().message() << '\n';
        return false;
    }
    return is_in_order(laptop) && is_in_order(phone);
}

bool converse_in_memory(loop& where) {
    std::cout << "in memory\n";
    const auto store = make_memory_store(system_wall_clock());
    return converse(where, *store);
}

bool converse_in_file(loop& where, const std::filesystem::path& file) {
    std::cout << "in " << file.native() << '\n';
    sqlite_options options;
    options.path = file;
    const auto store = open_sqlite_store(where, system_wall_clock(), options, incarnation_id{});
    return store && converse(where, **store);
}

}  // namespace

/// With an argument, the file is kept there; a second run goes on with the conversation.
int main(int argc, char** argv) {
    const bool keeps_file = argc > 1;
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::filesystem::path file = keeps_file ? argv[1] : folder / "convene_example.db";

    convene::loop where;
    const bool is_good = converse_in_memory(where) && converse_in_file(where, file);
    if (!keeps_file) {
        for (const char* const suffix : {"", "-wal", "-shm", ".lock"}) {
            std::filesystem::remove(file.native() + suffix);
        }
    }
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
