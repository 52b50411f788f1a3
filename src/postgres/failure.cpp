// SPDX-License-Identifier: Apache-2.0
// SQLSTATE, by class and where it matters by code (PostgreSQL documentation, appendix A).
#include "postgres/failure.hpp"

namespace convene::postgres {

namespace {

[[nodiscard]] errc broken_unique(std::string_view constraint) noexcept {
    if (constraint == "idx_events_room_index") {
        return errc::duplicate_index;
    }
    if (constraint == "events_key" || constraint == "inbound_keys_pkey") {
        return errc::duplicate_key;
    }
    return errc::invalid_argument;
}

/// What `convene_expect` raises: the states are those of its callers (see `expectation`).
[[nodiscard]] errc code_of_expectation(std::string_view sqlstate) noexcept {
    if (sqlstate == expected_claim) {
        return errc::claim_lost;
    }
    if (sqlstate == expected_driver) {
        return errc::driver_fenced;
    }
    if (sqlstate == expected_new_key) {
        return errc::duplicate_key;
    }
    if (sqlstate == expected_target) {
        return errc::target_event_not_found;
    }
    if (sqlstate == expected_free_index) {
        return errc::duplicate_index;
    }
    return errc::room_changed;
}

[[nodiscard]] bool is_of_class(std::string_view sqlstate, std::string_view two) noexcept {
    return sqlstate.substr(0, 2) == two;
}

}  // namespace

errc code_of(std::string_view sqlstate, std::string_view constraint) noexcept {
    if (sqlstate == "23505") {
        return broken_unique(constraint);
    }
    if (is_worth_repeating(sqlstate) || sqlstate == "55P03") {
        return errc::store_busy;
    }
    if (is_of_class(sqlstate, "CV")) {
        return code_of_expectation(sqlstate);
    }
    if (sqlstate == "57014") {  // cancelled, also by statement_timeout
        return errc::timed_out;
    }
    if (sqlstate == "25006") {  // read-only: a standby, or set so by an operator
        return errc::unavailable;
    }
    if (is_of_class(sqlstate, "22") || is_of_class(sqlstate, "23") || is_of_class(sqlstate, "54")) {
        return errc::invalid_argument;
    }
    if (is_of_class(sqlstate, "42") || is_of_class(sqlstate, "3D") || is_of_class(sqlstate, "3F")) {
        // The statements are right for our layout: this database has another one.
        return errc::schema_unknown;
    }
    if (is_of_class(sqlstate, "53") || is_of_class(sqlstate, "57") || is_of_class(sqlstate, "28")) {
        return errc::unavailable;
    }
    if (is_of_class(sqlstate, "58") || is_of_class(sqlstate, "XX")) {
        return errc::io_failed;
    }
    return errc::connection_lost;
}

bool is_worth_repeating(std::string_view sqlstate) noexcept {
    return sqlstate == "40001" || sqlstate == "40P01";
}

}  // namespace convene::postgres
