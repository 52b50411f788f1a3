// SPDX-License-Identifier: Apache-2.0
// Questions to a server, each on connections of its own.
#include "postgres/server_check.hpp"

#include "convene/random.hpp"

#include <array>
#include <libpq-fe.h>

#include "postgres/handle.hpp"

namespace convene::postgres {

namespace {

constexpr int rounds = 10;

/// One value as text; empty for NULL, no row and a failure.
std::string ask(PGconn* connection, const std::string& sql) {
    const result_set answer{PQexec(connection, sql.c_str())};
    const bool has_value = !error_in(answer.get()) && PQntuples(answer.get()) > 0;
    return has_value ? PQgetvalue(answer.get(), 0, 0) : std::string{};
}

std::string random_key() {
    std::array<std::uint8_t, 4> bytes{};
    system_random().fill(bytes);
    std::uint32_t key = 0;
    for (const std::uint8_t byte : bytes) {
        key = key << 8U | byte;
    }
    return std::to_string(key);
}

/// How an advisory lock with a small key is seen in `pg_locks`.
std::string count_of_locks(const std::string& key, const std::string& holder) {
    return "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 "
           "AND objsubid = 1"
           " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
           "objid::bigint = " +
           key + " AND pid = " + holder;
}

result<connection_handle> connect_to(const std::string& address) {
    session_options options;
    options.address = address;
    return connect(options);
}

}  // namespace

result<bool> keeps_sessions(const std::string& address) {
    const result<connection_handle> ours = connect_to(address);
    if (!ours) {
        return ours.error();
    }
    const result<connection_handle> busy = connect_to(address);
    if (!busy) {
        return busy.error();
    }
    const std::string key = random_key();
    const std::string process = ask(ours->get(), "SELECT pg_backend_pid()");
    bool is_kept = ask(ours->get(), "SELECT pg_try_advisory_lock(" + key + ")") == "t";
    for (int round = 0; round < rounds && is_kept; ++round) {
        // A process that was ours for one transaction only is free now, and goes to whoever begins one.
        ask(busy->get(), "BEGIN");
        ask(busy->get(), "SELECT 1");
        const std::string now = ask(ours->get(), "SELECT pg_backend_pid()");
        is_kept = now == process && ask(ours->get(), count_of_locks(key, process)) == "1";
        ask(busy->get(), "COMMIT");
    }
    const bool is_given_back = ask(ours->get(), "SELECT pg_advisory_unlock(" + key + ")") == "t";
    return is_kept && is_given_back;
}

result<bool> is_same_database(const std::string& store, const std::string& locks) {
    const result<connection_handle> holding = connect_to(locks);
    if (!holding) {
        return holding.error();
    }
    const result<connection_handle> looking = connect_to(store);
    if (!looking) {
        return looking.error();
    }
    const std::string key = random_key();
    const std::string holder = ask(holding->get(), "SELECT pg_backend_pid()");
    ask(holding->get(), "SELECT pg_try_advisory_lock(" + key + ")");
    return ask(looking->get(), count_of_locks(key, holder)) == "1";
}

result<server_capacity> read_capacity(const std::string& address) {
    const result<connection_handle> asked = connect_to(address);
    if (!asked) {
        return asked.error();
    }
    const auto number = [&asked](const std::string& sql) {
        const std::string text = ask(asked->get(), sql);
        return text.empty() ? 0 : std::stoll(text);
    };
    server_capacity found;
    found.max_connections = number("SHOW max_connections");
    found.reserved_connections = number("SHOW superuser_reserved_connections");
    found.connections = number(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    );
    found.workers = number(
        "SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE datname = "
        "current_database() AND"
        " application_name LIKE 'convene %'"
    );
    found.max_locks = number("SHOW max_locks_per_transaction") *
                      (found.max_connections + number("SHOW max_prepared_transactions"));
    found.advisory_locks = number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
    found.oldest_snapshot = std::chrono::microseconds{
        number("SELECT coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000000), "
               "0)::bigint FROM"
               " pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()")
    };
    const auto before = system_wall_clock().now();
    const std::int64_t theirs = number(
        "SELECT (extract(epoch from clock_timestamp()) * 1000000)::bigint"
    );
    const auto after = system_wall_clock().now();
    const auto ours = before + (after - before) / 2;
    found.clock_ahead = ours.time_since_epoch() - std::chrono::microseconds{theirs};
    return found;
}

}  // namespace convene::postgres
