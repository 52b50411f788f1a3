// SPDX-License-Identifier: Apache-2.0
// What a server has to be for workers: it keeps sessions apart, it is the one that holds the rooms, it has room.
#pragma once

#include "convene/error.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace convene::postgres {

// Each of these connects, asks and lets go. **They block**, a few seconds at most. *Errors*: those of `connect`.

/// False if somebody between us and the server gives a session's transactions to changing server processes, as a pooler
/// in transaction mode does: locks taken there are everybody's and nobody's (L9).
///
/// Two sessions, ten rounds: one opens and ends transactions, the other looks whether its server process is still the
/// same and holds the lock that was taken at the beginning.
[[nodiscard]] result<bool> keeps_sessions(const std::string& address);

/// True if a lock that is taken at `locks` is seen at `store`: the two addresses lead to one database.
[[nodiscard]] result<bool> is_same_database(const std::string& store, const std::string& locks);

/// What a server can carry, and what it carries now.
struct server_capacity {
    std::int64_t max_connections = 0;
    std::int64_t reserved_connections = 0;  ///< for superusers
    std::int64_t connections = 0;           ///< of all clients
    std::int64_t workers = 0;               ///< of ours that are connected
    std::int64_t
        max_locks = 0;  ///< about how many locks fit (max_locks_per_transaction and its factors)
    std::int64_t advisory_locks = 0;  ///< held now
    std::chrono::microseconds oldest_snapshot{0
    };  ///< how long ago it was taken; it keeps dead rows alive
    std::chrono::microseconds clock_ahead{0};  ///< of this machine's clock
};

[[nodiscard]] result<server_capacity> read_capacity(const std::string& address);

}  // namespace convene::postgres
