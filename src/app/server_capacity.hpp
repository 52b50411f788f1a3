// SPDX-License-Identifier: Apache-2.0
// How many connections workers need of a PostgreSQL server, and whether it has them (engine.md 8).
#pragma once

#include <cstdint>
#include <string>

#include "base/config/configuration.hpp"
#include "postgres/server_check.hpp"

namespace convene {

struct connection_budget {
    std::int64_t workers = 0;
    std::int64_t needed = 0;     ///< for them, and ten for people and tools
    std::int64_t available = 0;  ///< to those who are no superusers

    [[nodiscard]] bool is_enough() const noexcept { return needed <= available; }

    [[nodiscard]] std::string remedy() const;
};

/// What one worker may have open at once: room locks, operations, leases, what it hears, and one more.
[[nodiscard]] std::int64_t connections_of_a_worker(const configuration& settings);

[[nodiscard]] connection_budget budget_of(
    const configuration& settings, const postgres::server_capacity& capacity, std::int64_t workers
);

}  // namespace convene
