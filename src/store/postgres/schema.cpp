// SPDX-License-Identifier: Apache-2.0
// Takes missing steps of the layout in one transaction, under a lease that is tried and never waited for.
#include "store/postgres/schema.hpp"

#include "convene/lease.hpp"

#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"

namespace convene::postgres {

namespace {

constexpr std::chrono::milliseconds look_again{50};

lease_name schema_lease() {
    return lease_name{lease_kind::schema, organization_id{}, "migrations"};
}

result<std::size_t> count_taken_steps(session& database) {
    database.forget_failure();
    const bool is_new = !database.exists(
        "SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid = to_regclass('schema_migrations')"
    );
    std::vector<sql::taken_step> taken;
    if (!is_new) {
        taken = sql::collect(
            database.select("SELECT version, checksum FROM schema_migrations ORDER BY version"),
            [](sql::query& row) {
                sql::taken_step step;
                row.read(step.version, step.checksum);
                return step;
            }
        );
    }
    if (database.failure()) {
        return database.failure();
    }
    return sql::count_taken(known_migrations(), taken);
}

result<> take_steps(session& database, std::size_t from) {
    database.begin(transaction_kind::writing);
    // Rather fail and try again than stand in a queue that writers of messages then stand behind.
    database.run_script("SET LOCAL lock_timeout = '2s'");
    database.run_script(
        "CREATE TABLE IF NOT EXISTS schema_migrations (version bigint NOT NULL PRIMARY KEY, name"
        " text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)"
    );
    for (const sql::migration& step : known_migrations().subspan(from)) {
        database.run_script(std::string{step.sql});
        database.run(
            "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2,"
            " ?3, (extract(epoch from now()) * 1000000)::bigint)",
            step.version,
            step.name,
            sql::checksum_of(step)
        );
    }
    return database.commit();
}

/// The lease of the session, given back whatever happens; a lost connection gives it back too.
class held_schema_lease {
   public:
    explicit held_schema_lease(session& database) : database_(database) {}

    held_schema_lease(const held_schema_lease&) = delete;
    held_schema_lease& operator=(const held_schema_lease&) = delete;

    ~held_schema_lease() {
        database_.forget_failure();
        database_.run("SELECT pg_advisory_unlock(?1)", schema_lease().key());
    }

   private:
    session& database_;
};

bool try_schema_lease(session& database) {
    return database.value_of<std::string>(
               "SELECT pg_try_advisory_lock(?1)", schema_lease().key()
           ) == "t";
}

}  // namespace

result<> bring_up_to_date(session& database, std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (true) {
        const result<std::size_t> taken = count_taken_steps(database);
        if (!taken) {
            return taken.error();
        }
        if (*taken == known_migrations().size()) {
            return {};
        }
        if (try_schema_lease(database)) {
            const held_schema_lease lease{database};
            // Again, since another one may have been faster.
            const result<std::size_t> still = count_taken_steps(database);
            if (!still) {
                return still.error();
            }
            const result<> done = take_steps(database, *still);
            if (done || done.error() != errc::store_busy) {
                return done;
            }
        }
        if (database.failure() && database.is_broken()) {
            return database.failure();
        }
        if (std::chrono::steady_clock::now() >= end) {
            return errc::timed_out;
        }
        std::this_thread::sleep_for(look_again);
    }
}

result<> check_up_to_date(session& database) {
    const result<std::size_t> taken = count_taken_steps(database);
    if (!taken) {
        return taken.error();
    }
    return *taken == known_migrations().size() ? result<>{} : result<>{errc::not_found};
}

std::int32_t stored_schema_version(session& database) {
    return database.value_of<std::int32_t>("SELECT max(version) FROM schema_migrations")
        .value_or(0);
}

// -- the index on (room, index) ----------------------------------------------------------------------

bool is_event_index_unique(session& database) {
    return database.exists(
        "SELECT 1 FROM pg_catalog.pg_index i WHERE i.indexrelid ="
        " to_regclass('idx_events_room_index') AND i.indisunique AND i.indisvalid"
    );
}

sql::duplicate_indexes find_duplicate_indexes(session& database) {
    sql::duplicate_indexes found;
    sql::query sums = database.select(
        "SELECT coalesce(sum(surplus), 0)::bigint, count(*) FROM (SELECT count(*) - count(DISTINCT"
        " \"index\") AS surplus FROM events GROUP BY room_id) s WHERE surplus > 0"
    );
    if (sums.next()) {
        sums.read(found.rows, found.rooms);
    }
    return found;
}

void make_event_index_unique(session& database) {
    database.run_script(
        "DROP INDEX IF EXISTS idx_events_room_index;"
        "CREATE UNIQUE INDEX idx_events_room_index ON events (room_id, \"index\")"
    );
}

bool try_to_make_event_index_unique(session& database) {
    if (!try_schema_lease(database)) {
        return false;
    }
    const held_schema_lease lease{database};
    database.begin(transaction_kind::writing);
    database.run_script("SET LOCAL lock_timeout = '2s'");
    make_event_index_unique(database);
    return database.commit().has_value();
}

}  // namespace convene::postgres
