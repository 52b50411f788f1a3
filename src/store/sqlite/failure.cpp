// SPDX-License-Identifier: Apache-2.0
// Maps SQLite's result codes; constraints are told apart by the columns that SQLite names.
#include "failure.hpp"

#include <sqlite3.h>

namespace convene::sqlite {

namespace {

[[nodiscard]] bool names(std::string_view message, std::string_view column) noexcept {
    return message.find(column) != std::string_view::npos;
}

[[nodiscard]] errc broken_constraint(std::string_view message) noexcept {
    if (names(message, "events.index")) {
        return errc::duplicate_index;
    }
    if (names(message, "events.idempotency_key") || names(message, "inbound_keys.key")) {
        return errc::duplicate_key;
    }
    return errc::invalid_argument;
}

}  // namespace

errc code_of(int extended_result, std::string_view message) noexcept {
    // The low byte is the primary result; the rest says more about it.
    switch (extended_result & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return errc::store_busy;
        case SQLITE_CORRUPT:
            return errc::corrupt_data;
        case SQLITE_NOTADB:
        case SQLITE_ERROR:
            // The statements are right for our layout; this file has another one, or is no database.
            return errc::schema_unknown;
        case SQLITE_CONSTRAINT:
            return broken_constraint(message);
        case SQLITE_TOOBIG:
        case SQLITE_MISMATCH:
        case SQLITE_RANGE:
            return errc::invalid_argument;
        case SQLITE_INTERRUPT:
            return errc::cancelled;
        default:
            // FULL, IOERR, READONLY, CANTOPEN, NOMEM, PERM: the system refused.
            return errc::io_failed;
    }
}

}  // namespace convene::sqlite
