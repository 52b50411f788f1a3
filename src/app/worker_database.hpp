// SPDX-License-Identifier: Apache-2.0
// What a worker needs of its database: the store, the locks, and the name that both know it by.
#pragma once

#include "convene/lease.hpp"
#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <memory>

#include "app/database_place.hpp"
#include "base/config/configuration.hpp"
#include "store/store.hpp"

namespace convene {

class postgres_lock_manager;

/// Alone on a file, the locks are this process's; on a server they are the database's.
struct worker_database {
    incarnation_id incarnation;
    std::unique_ptr<conversation_store> store;
    std::unique_ptr<lock_manager> locks;
    postgres_lock_manager*
        shared_locks = nullptr;  ///< the same locks, to be started; null on a file
};

/// Whether so many more workers fit into the connections that a server has. *Errors*: in words, with the remedy.
[[nodiscard]] outcome<> check_room_for_workers(
    const database_place& place, const configuration& settings, std::size_t more
);

/// Opens the database of a worker. On a server it first makes sure that sessions stay ours (L9) and that there is room
/// for the connections of one more. *Errors*: in words, with the remedy.
[[nodiscard]] outcome<worker_database> open_worker_database(
    loop& where,
    const database_place& place,
    const configuration& settings,
    sqlite_creation creation
);

}  // namespace convene
