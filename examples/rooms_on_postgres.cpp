// SPDX-License-Identifier: Apache-2.0
// A worker of many: rooms in a PostgreSQL database that other processes share. Start it several times at once.
//
// usage: example_rooms_on_postgres postgresql://user@host/database
#include <convene/channels/callback_channel.hpp>
#include <convene/loop.hpp>
#include <convene/postgres_lock_manager.hpp>
#include <convene/postgres_store.hpp>
#include <convene/room_kit.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace convene;

awaitable<send_result> print(delivery_request request) {
    std::cout << request.event.index.value() << ": " << readable_text(request.event.content)
              << '\n';
    co_return send_result::sent();
}

/// The room that all workers write to; whoever comes first makes it.
awaitable<result<>> open_room(room_kit* kit) {
    room wanted;
    wanted.id = room_id{"hall"};
    binding screen;
    screen.channel = channel_id{"screen"};
    std::vector<binding> bindings{std::move(screen)};
    std::vector<participant> nobody;
    const auto made = co_await kit->create_room(
        std::move(wanted), std::move(bindings), std::move(nobody)
    );
    const bool is_there = made || made.error() == errc::already_exists;
    co_return is_there ? result<>{} : result<>{made.error()};
}

/// Three messages. Their indexes have no gaps and no doubles, however many workers send at once.
awaitable<result<>> work(
    room_kit* kit, postgres_lock_manager* locks, postgres_lock_manager* claims, std::string name
) {
    for (postgres_lock_manager* const one : {locks, claims}) {
        const result<> started = co_await one->start();
        if (!started) {
            co_return started;
        }
    }
    const result<> ready = co_await kit->init();
    if (!ready) {
        co_return ready;
    }
    const result<> opened = co_await open_room(kit);
    if (!opened) {
        co_return opened;
    }
    for (int i = 0; i < 3; ++i) {
        outgoing_event said;
        said.room = room_id{"hall"};
        said.content = content::text(name + " says " + std::to_string(i));
        const auto sent = co_await kit->send_event(std::move(said), wait_for::delivered);
        if (!sent) {
            co_return sent.error();
        }
    }
    co_return result<>{};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: example_rooms_on_postgres postgresql://user@host/database\n";
        return EXIT_FAILURE;
    }
    loop where;
    const incarnation_id self = make_incarnation();

    postgres_options database;
    database.address = argv[1];
    database.incarnation = self;
    database.where = &where;
    auto store = open_postgres_store(database);
    if (!store) {
        std::cerr << store.error().message() << '\n';
        return EXIT_FAILURE;
    }

    // Room locks are held for the time of a commit, claims for as long as deliveries take: each has its own connections.
    const auto locks = make_postgres_lock_manager(where, {database.address, self, 8});
    const auto claims = make_postgres_lock_manager(where, {database.address, self, 4});
    room_kit_parts parts;
    parts.where = &where;
    parts.store = store->get();
    parts.locks = locks.get();
    parts.delivery_claim_locks = claims.get();
    parts.incarnation = self;
    room_kit_settings settings;
    settings.delivery_gap_timeout = std::chrono::seconds{30};
    room_kit kit{parts, settings};
    if (!kit.register_channel(std::make_shared<callback_channel>(channel_id{"screen"}, print))) {
        return EXIT_FAILURE;
    }

    const result<> done = where.run_until_done(
        work(&kit, locks.get(), claims.get(), "worker " + self.str().substr(self.str().size() - 4))
    );
    // Closes the store and both lock managers as well.
    where.run_until_done(kit.close());
    if (!done) {
        std::cerr << done.error().message() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
