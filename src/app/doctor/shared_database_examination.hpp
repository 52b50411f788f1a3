// SPDX-License-Identifier: Apache-2.0
// What `doctor` finds about a database that workers share: can they, and how many.
#pragma once

#include <optional>
#include <vector>

#include "app/doctor/examination.hpp"
#include "app/server_capacity.hpp"

namespace convene {

/// Everything that the verdicts are made from; what could not be asked is unset.
struct shared_database_facts {
    database_facts stored;  ///< without its file
    std::optional<bool> keeps_sessions;
    std::optional<bool> locks_keep_sessions;  ///< unset too where LOCK_DB_URL is
    std::optional<bool> locks_are_here;
    std::optional<postgres::server_capacity> capacity;
    connection_budget budget;  ///< of one more worker than there are
};

[[nodiscard]] std::vector<check_result> judge(const shared_database_facts& facts);

}  // namespace convene
