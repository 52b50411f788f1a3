// SPDX-License-Identifier: Apache-2.0
// The sum of connections.
#include "app/server_capacity.hpp"

#include <fmt/format.h>

namespace convene {

namespace {

/// Beside the pool of room locks: four for operations, two for leases and what is said of them, one for news of rooms,
/// one for a migration or a look around.
constexpr std::int64_t beside_the_pool = 8;

constexpr std::int64_t for_people_and_tools = 10;

}  // namespace

std::int64_t connections_of_a_worker(const configuration& settings) {
    return settings.integer("LOCK_POOL_MAX_SIZE") + beside_the_pool;
}

connection_budget budget_of(
    const configuration& settings, const postgres::server_capacity& capacity, std::int64_t workers
) {
    connection_budget budget;
    budget.workers = workers;
    budget.needed = workers * connections_of_a_worker(settings) + for_people_and_tools;
    budget.available = capacity.max_connections - capacity.reserved_connections;
    return budget;
}

std::string connection_budget::remedy() const {
    return fmt::format(
        "set max_connections to {} or more and restart the server, or run fewer workers, or lower "
        "LOCK_POOL_MAX_SIZE",
        needed + 10
    );
}

}  // namespace convene
