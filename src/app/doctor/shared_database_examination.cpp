// SPDX-License-Identifier: Apache-2.0
// Judging a PostgreSQL server: one function for each check.
#include "app/doctor/shared_database_examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace convene {

namespace {

/// An open snapshot keeps every version of a hot room's row: after a minute it is felt.
constexpr std::chrono::minutes long_snapshot{1};

constexpr std::chrono::seconds noticeable_skew{1};

check_result judge_sessions(const std::string& name, std::string_view setting, bool is_kept) {
    if (is_kept) {
        return sound(
            name, fmt::format("sessions of {} stay the same between transactions", setting)
        );
    }
    return problem(
        name,
        fmt::format(
            "{} leads through a pooler that gives transactions to changing sessions", setting
        ),
        "connect to the server itself, or set the pooler to session mode (PgBouncer: pool_mode = "
        "session)"
    );
}

check_result judge_locks_are_here(bool are_here) {
    const std::string name = "locks";
    if (are_here) {
        return sound(name, "LOCK_DB_URL leads to the same database as DB_URL");
    }
    return problem(
        name,
        "LOCK_DB_URL leads to another database than DB_URL: locks would protect nothing",
        "name the same server and database in both"
    );
}

check_result judge_connections(const shared_database_facts& facts) {
    const std::string name = "connections";
    const std::string text = fmt::format(
        "{} of {} in use; {} workers run, one more makes {} that may be needed",
        facts.capacity->connections,
        facts.budget.available,
        facts.capacity->workers,
        facts.budget.needed
    );
    return facts.budget.is_enough() ? sound(name, text)
                                    : problem(name, text, facts.budget.remedy());
}

check_result judge_lock_table(const postgres::server_capacity& capacity) {
    const std::string name = "lock_table";
    const std::string text = fmt::format(
        "{} advisory locks of about {} that fit", capacity.advisory_locks, capacity.max_locks
    );
    if (capacity.advisory_locks * 2 < capacity.max_locks) {
        return sound(name, text);
    }
    return warn(
        name,
        text,
        "double max_locks_per_transaction and restart the server: a full table refuses everybody"
    );
}

check_result judge_clock(const postgres::server_capacity& capacity) {
    const std::string name = "clock";
    const auto ahead = std::chrono::duration_cast<std::chrono::milliseconds>(capacity.clock_ahead);
    const std::string text = fmt::format("{} ms apart from the database's", ahead.count());
    if (std::chrono::abs(capacity.clock_ahead) < noticeable_skew) {
        return sound(name, text);
    }
    return warn(
        name, text, "set the clocks by NTP: people see times, although no decision hangs on them"
    );
}

check_result judge_snapshot(const postgres::server_capacity& capacity) {
    const std::string name = "oldest_snapshot";
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(capacity.oldest_snapshot);
    const std::string text = fmt::format("{} s old", age.count());
    if (age < long_snapshot) {
        return sound(name, text);
    }
    return warn(
        name,
        text,
        "end the transaction that is open for so long (pg_stat_activity): it slows busy rooms down"
    );
}

}  // namespace

std::vector<check_result> judge(const shared_database_facts& facts) {
    std::vector<check_result> checks = judge_stored(facts.stored);
    if (facts.keeps_sessions) {
        checks.push_back(judge_sessions("pooler", "DB_URL", *facts.keeps_sessions));
    }
    if (facts.locks_keep_sessions) {
        checks.push_back(judge_sessions("lock_pooler", "LOCK_DB_URL", *facts.locks_keep_sessions));
    }
    if (facts.locks_are_here) {
        checks.push_back(judge_locks_are_here(*facts.locks_are_here));
    }
    if (facts.capacity) {
        checks.push_back(judge_connections(facts));
        checks.push_back(judge_lock_table(*facts.capacity));
        checks.push_back(judge_clock(*facts.capacity));
        checks.push_back(judge_snapshot(*facts.capacity));
    }
    return checks;
}

}  // namespace convene
