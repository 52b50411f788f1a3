// SPDX-License-Identifier: Apache-2.0
// Opening a worker's database: what the server has to be, then the store, then the locks beside it.
#include "app/worker_database.hpp"

#include "convene/postgres_lock_manager.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/database.hpp"
#include "app/server_capacity.hpp"
#include "base/log.hpp"
#include "postgres/server_check.hpp"

namespace convene {

namespace {

/// Clocks that differ by more would be seen by people, although nothing is decided by them.
constexpr std::chrono::seconds noticeable_skew{1};

failure pooler_failure(std::string_view setting) {
    return {
        exit_code::database_problem,
        fmt::format(
            "{} leads through a pooler that gives transactions to changing sessions: locks mean "
            "nothing there",
            setting
        ),
        "connect to the server itself, or set the pooler to session mode (PgBouncer: pool_mode = "
        "session)"
    };
}

/// The refusal that is for `setting`, if its server gives reason for one.
outcome<> check_sessions(std::string_view setting, const std::string& address) {
    const result<bool> kept = postgres::keeps_sessions(address);
    if (!kept) {
        return failure{
            exit_code::database_problem,
            fmt::format("the database ({}) can't be reached", setting),
            "check address, user and password, and that the server runs; the log has what it says"
        };
    }
    return *kept ? outcome<>{} : outcome<>{pooler_failure(setting)};
}

outcome<> check_locks_are_in(const std::string& store, const std::string& locks) {
    if (const outcome<> kept = check_sessions("LOCK_DB_URL", locks); !kept) {
        return kept;
    }
    const result<bool> same = postgres::is_same_database(store, locks);
    if (!same || !*same) {
        return failure{
            exit_code::database_problem,
            "LOCK_DB_URL leads to another database than DB_URL: locks would protect nothing",
            "name the same server and database in both; user, password and host name may differ"
        };
    }
    return {};
}

void warn_of_skew(const postgres::server_capacity& capacity) {
    if (std::chrono::abs(capacity.clock_ahead) > noticeable_skew) {
        log(log_level::warn,
            "clock_skew",
            {{"ahead_ms",
              std::chrono::duration_cast<std::chrono::milliseconds>(capacity.clock_ahead).count()},
             {"message", "this machine's clock and the database's differ: check NTP"}});
    }
}

}  // namespace

outcome<> check_room_for_workers(
    const database_place& place, const configuration& settings, std::size_t more
) {
    const result<postgres::server_capacity> capacity = postgres::read_capacity(place.address);
    if (!capacity) {
        return store_failure(capacity.error(), "reading what the database can carry");
    }
    warn_of_skew(*capacity);
    const connection_budget budget = budget_of(
        settings, *capacity, capacity->workers + static_cast<std::int64_t>(more)
    );
    if (budget.is_enough()) {
        return {};
    }
    return failure{
        exit_code::database_problem,
        fmt::format(
            "max_connections of the database is too small: {} workers need {}, and {} can be had",
            budget.workers,
            budget.needed,
            budget.available
        ),
        budget.remedy()
    };
}

outcome<worker_database> open_worker_database(
    loop& where,
    const database_place& place,
    const configuration& settings,
    sqlite_creation creation
) {
    worker_database opened;
    opened.incarnation = make_incarnation();
    const std::string& given = settings.text("LOCK_DB_URL");
    const std::string& lock_address = given.empty() ? place.address : given;
    if (place.is_on_server()) {
        if (const outcome<> kept = check_sessions("DB_URL", place.address); !kept) {
            return kept.error();
        }
        if (lock_address != place.address) {
            if (const outcome<> same = check_locks_are_in(place.address, lock_address); !same) {
                return same.error();
            }
        }
        if (const outcome<> fits = check_room_for_workers(place, settings, 1); !fits) {
            return fits.error();
        }
    }
    auto store = open_for_writing(where, place, creation, opened.incarnation);
    if (!store) {
        return store.error();
    }
    opened.store = std::move(*store);
    if (!place.is_on_server()) {
        opened.locks = make_in_memory_lock_manager(where);
        return opened;
    }
    postgres_lock_options options;
    options.address = lock_address;
    options.incarnation = opened.incarnation;
    options.max_leases = static_cast<std::size_t>(settings.integer("LEASE_MAX_PER_WORKER"));
    options.max_size = static_cast<std::size_t>(settings.integer("LOCK_POOL_MAX_SIZE"));
    auto locks = make_postgres_lock_manager(where, options);
    opened.shared_locks = locks.get();
    opened.locks = std::move(locks);
    return opened;
}

}  // namespace convene
