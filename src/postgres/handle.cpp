// SPDX-License-Identifier: Apache-2.0
// Calls libpq: connecting, settings, values as text.
#include "postgres/handle.hpp"

#include "convene/lease.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <libpq-fe.h>
#include <span>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "base/log.hpp"
#include "postgres/failure.hpp"

namespace convene::postgres {

namespace {

// Object ids of types, fixed in PostgreSQL's catalogue (pg_type.dat).
constexpr Oid type_bytea = 17;
constexpr Oid type_bigint = 20;
constexpr Oid type_text = 25;
constexpr Oid type_double = 701;

// On our end, where the address does not say otherwise.
constexpr std::array<std::pair<const char*, const char*>, 7> client_settings{{
    {"connect_timeout", "5"},
    {"keepalives_idle", "5"},
    {"keepalives_interval", "2"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "11000"},
    {"gssencmode", "disable"},
    {"client_encoding", "UTF8"},
}};

// Set by SET and not in the startup packet, which poolers refuse. A statement that runs longer than the timeout
// has lost its caller; a transaction that is left open would keep old rows from being removed; a holder that
// vanished is given up after about 11 s. Compiling a plan cost a small statement 40 ms,
// many times what it saved: ours read few rows each.
constexpr const char* common_settings =
    "SET default_transaction_isolation = 'read committed';"
    "SET default_transaction_read_only = off;"
    "SET synchronous_commit = on;"
    "SET jit = off;"
    "SET statement_timeout = '30s';"
    "SET idle_in_transaction_session_timeout = '40s';"
    "SET tcp_keepalives_idle = 5;"
    "SET tcp_keepalives_interval = 2;"
    "SET tcp_keepalives_count = 3;"
    "SET tcp_user_timeout = 11000;"
    "SET client_connection_check_interval = '1s';"
    "SET client_min_messages = warning;";

/// How long a session may hold a room's lock without a word: a process that froze in the middle of a commit is
/// freed of it, and its next statement fails.
const char* settings_of(session_kind kind) {
    switch (kind) {
        case session_kind::operations:
            return "SET lock_timeout = '10s'; SET idle_session_timeout = 0";
        case session_kind::commits:
            return "SET lock_timeout = '2s'; SET idle_session_timeout = '35s'";
        case session_kind::leases:
            return "SET lock_timeout = '2s'; SET idle_session_timeout = 0";
    }
    return "";
}

// A prober holds the key for a moment while it looks whether anybody else does.
constexpr int liveness_tries = 30;
constexpr std::chrono::milliseconds between_tries{100};

std::string_view field(const PGresult* answer, int code) {
    const char* const text = PQresultErrorField(answer, code);
    return text == nullptr ? std::string_view{} : std::string_view{text};
}

/// Holds the worker's key, shared. *Errors*: `incarnation_dead` while somebody holds it exclusively, and for good once
/// that one has written down that the worker is dead: after a burial no session of the worker is ever opened again.
result<> take_liveness(PGconn* connection, const incarnation_id& worker) {
    const std::string lock = "SELECT pg_try_advisory_lock_shared(" +
                             std::to_string(liveness_key(worker)) + ")";
    const std::string look = "SELECT 1 FROM workers WHERE incarnation = $1 AND state = 3";
    for (int tries = 0; tries < liveness_tries; ++tries) {
        const result_set locked{PQexec(connection, lock.c_str())};
        if (const std::optional<server_error> refused = error_in(locked.get())) {
            return refused->code;
        }
        if (std::string_view{PQgetvalue(locked.get(), 0, 0)} != "t") {
            std::this_thread::sleep_for(between_tries);
            continue;
        }
        // After the key was granted: whoever writes the row holds the key.
        const char* const id = worker.str().c_str();
        const result_set dead{
            PQexecParams(connection, look.c_str(), 1, nullptr, &id, nullptr, nullptr, 0)
        };
        if (const std::optional<server_error> refused = error_in(dead.get())) {
            return refused->code;
        }
        return PQntuples(dead.get()) == 0 ? result<>{} : result<>{errc::incarnation_dead};
    }
    return errc::incarnation_dead;
}

}  // namespace

void close_connection::operator()(pg_conn* connection) const noexcept { PQfinish(connection); }

void clear_result::operator()(pg_result* answer) const noexcept { PQclear(answer); }

std::string application_name_of(const incarnation_id& worker) {
    return worker.empty() ? std::string{"convene"} : "convene " + worker.str();
}

std::int64_t liveness_key(const incarnation_id& worker) {
    return lease_name{lease_kind::worker, {}, worker.str()}.key();
}

result<connection_handle> connect(const session_options& options) {
    // The address comes last and wins: it is a whole connection string in the place of a database's name.
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : client_settings) {
        names.push_back(name);
        values.push_back(value);
    }
    const std::string application = application_name_of(options.incarnation);
    names.push_back("fallback_application_name");
    values.push_back(application.c_str());
    names.push_back("dbname");
    values.push_back(options.address.c_str());
    names.push_back(nullptr);
    values.push_back(nullptr);
    constexpr int expand_dbname = 1;
    connection_handle made{PQconnectdbParams(names.data(), values.data(), expand_dbname)};
    if (PQstatus(made.get()) != CONNECTION_OK) {
        log(log_level::warn, "postgres_connect_failed", {{"detail", PQerrorMessage(made.get())}});
        return errc::unavailable;
    }
    const std::string settings = std::string{common_settings} + settings_of(options.kind);
    const result_set set{PQexec(made.get(), settings.c_str())};
    if (const std::optional<server_error> refused = error_in(set.get())) {
        log(log_level::warn, "postgres_session_refused", {{"detail", refused->text}});
        return errc::unavailable;
    }
    if (!options.incarnation.empty()) {
        if (const result<> alive = take_liveness(made.get(), options.incarnation); !alive) {
            return alive.error();
        }
    }
    return made;
}

// -- arguments ---------------------------------------------------------------------------------------

arguments::arguments(int count)
    : values_(static_cast<std::size_t>(count)), types_(values_.size(), type_text) {}

void arguments::set(int position, unsigned type, std::optional<std::string> value) {
    const auto place = static_cast<std::size_t>(position - 1);
    types_[place] = type;
    values_[place] = std::move(value);
}

void arguments::bind_text(int position, sql::text_lifetime, std::string_view value) {
    set(position, type_text, std::string{value});
}

void arguments::bind_bytes(int position, sql::text_lifetime, std::string_view value) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(value.data());
    set(position, type_bytea, "\\x" + to_hex(std::span{bytes, value.size()}));
}

void arguments::bind_integer(int position, std::int64_t value) {
    set(position, type_bigint, std::to_string(value));
}

void arguments::bind_real(int position, double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    set(position, type_double, std::string{digits.data(), end});
}

void arguments::bind_null(int position, sql::value_kind kind) {
    switch (kind) {
        case sql::value_kind::integer:
            return set(position, type_bigint, std::nullopt);
        case sql::value_kind::real:
            return set(position, type_double, std::nullopt);
        case sql::value_kind::text:
            return set(position, type_text, std::nullopt);
        case sql::value_kind::bytes:
            return set(position, type_bytea, std::nullopt);
    }
}

std::vector<const char*> arguments::pointers() const {
    std::vector<const char*> all;
    all.reserve(values_.size());
    for (const std::optional<std::string>& value : values_) {
        all.push_back(value ? value->c_str() : nullptr);
    }
    return all;
}

std::vector<int> arguments::lengths() const {
    std::vector<int> all;
    all.reserve(values_.size());
    for (const std::optional<std::string>& value : values_) {
        all.push_back(value ? static_cast<int>(value->size()) : 0);
    }
    return all;
}

// -- rows --------------------------------------------------------------------------------------------

std::int64_t result_rows::changes() const noexcept {
    const std::string_view changed{answer_ ? PQcmdTuples(answer_.get()) : ""};
    std::int64_t count = 0;
    std::from_chars(changed.data(), changed.data() + changed.size(), count);
    return count;
}

bool result_rows::step() { return answer_ != nullptr && ++row_ < PQntuples(answer_.get()); }

std::int64_t result_rows::integer(int column) const noexcept {
    const std::string_view digits = text(column);
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

double result_rows::real(int column) const noexcept {
    const std::string_view digits = text(column);
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string_view result_rows::text(int column) const noexcept {
    return {
        PQgetvalue(answer_.get(), row_, column),
        static_cast<std::size_t>(PQgetlength(answer_.get(), row_, column))
    };
}

std::string result_rows::bytes(int column) const {
    // As `bytea_output` has it by default: \x and hexadecimal digits.
    const std::string_view digits = text(column).substr(2);
    std::string value;
    value.reserve(digits.size() / 2);
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        std::uint8_t byte = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        value += static_cast<char>(byte);
    }
    return value;
}

bool result_rows::is_null(int column) const noexcept {
    return PQgetisnull(answer_.get(), row_, column) == 1;
}

std::optional<server_error> error_in(const pg_result* answer) {
    const ExecStatusType status = PQresultStatus(answer);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) {
        return std::nullopt;
    }
    const std::string_view state = field(answer, PG_DIAG_SQLSTATE);
    return server_error{
        code_of(state, field(answer, PG_DIAG_CONSTRAINT_NAME)),
        std::string{state},
        answer == nullptr ? "out of memory" : PQresultErrorMessage(answer),
    };
}

}  // namespace convene::postgres
