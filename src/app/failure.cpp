// SPDX-License-Identifier: Apache-2.0
// The words of failures.
#include "app/failure.hpp"

#include <fmt/format.h>

namespace convene {

namespace {

struct known_failure {
    errc code;
    exit_code ends_with;
    std::string_view text;
    std::string_view remedy;
};

constexpr known_failure known_failures[] = {
    {errc::corrupt_data,
     exit_code::database_problem,
     "the database (DB_URL) is damaged",
     "restore a copy; `convene export` saves the rooms that can still be read"},
    {errc::store_busy,
     exit_code::database_problem,
     "the database (DB_URL) is locked by another program",
     "close what has the file open, and try again"},
    {errc::unavailable,
     exit_code::database_problem,
     "the database (DB_URL) did not answer in time, or is stopping",
     "try again; `convene doctor` looks at it"},
    {errc::io_failed,
     exit_code::database_problem,
     "the operating system refused to read or write the database (DB_URL)",
     "look at permissions and free space; `convene doctor` does"},
    {errc::overloaded,
     exit_code::database_problem,
     "the database (DB_URL) can't keep up: too much is waiting",
     "try again; the disk may be slow or full"},
    {errc::process_timeout,
     exit_code::database_problem,
     "PROCESS_TIMEOUT passed before the commit; nothing was stored",
     "try again; the disk may be slow or full"},
    {errc::outcome_unknown,
     exit_code::database_problem,
     "no answer came to a commit: it may have been stored",
     "try again with the same --key: what was stored is recognised"},
    {errc::room_closed,
     exit_code::refused,
     "ROOM is closed: nothing was stored",
     "reopen it, or send to another room"},
    {errc::idempotency_key_reused,
     exit_code::refused,
     "the key (--key) was used in this room for another message",
     "use a new key for a new message"},
    {errc::event_deleted,
     exit_code::refused,
     "the key (--key) belongs to a message that was deleted for good",
     "use a new key"},
    {errc::already_exists,
     exit_code::refused,
     "ROOM was made by somebody else at this moment",
     "try again"},
};

failure words_for(error_code code, std::string_view doing) {
    for (const known_failure& known : known_failures) {
        if (code == known.code) {
            return {known.ends_with, std::string{known.text}, std::string{known.remedy}};
        }
    }
    if (code == condition::caller_error) {
        return {exit_code::refused, fmt::format("{} was refused: {}", doing, code.message()), {}};
    }
    return {
        exit_code::database_problem,
        fmt::format("{} failed: {}", doing, code.message()),
        "`convene doctor` looks at the database",
    };
}

}  // namespace

failure store_failure(error_code code, std::string_view doing) {
    failure why = words_for(code, doing);
    if (code.category() == convene_category()) {
        why.reason = name_of(static_cast<errc>(code.value()));
    }
    why.may_pass = code == condition::retryable;
    return why;
}

failure room_was_repaired() {
    return {
        exit_code::partial,
        "ROOM was repaired: its indexes have another meaning now",
        "start again, with --after -1 to see everything"
    };
}

failure refused_value(const boundary_error& error) {
    return {
        exit_code::refused,
        fmt::format("{}: {}", error.field, word_of(error.reason)),
        std::string{describe(error.reason)},
    };
}

std::string_view describe(boundary_reason reason) noexcept {
    switch (reason) {
        case boundary_reason::invalid_utf8:
            return "the text is not UTF-8: convert it";
        case boundary_reason::nul_character:
            return "U+0000 can't be stored: remove it";
        case boundary_reason::lone_surrogate:
            return "half of a surrogate pair is no character: remove it";
        case boundary_reason::control_character:
            return "an id has no control characters: remove them";
        case boundary_reason::empty:
            return "it must not be empty";
        case boundary_reason::too_long:
            return "it is longer than allowed: shorten it";
        case boundary_reason::too_deep:
            return "it is nested too deeply: flatten it";
        case boundary_reason::too_many:
            return "it has too many elements: split it";
        case boundary_reason::not_json:
            return "it is not JSON (RFC 8259)";
        case boundary_reason::duplicate_key:
            return "an object has a key twice: remove one";
        case boundary_reason::wrong_type:
            return "it has another JSON type than the field wants";
        case boundary_reason::missing_field:
            return "the field is required";
        case boundary_reason::unknown_field:
            return "there is no such field: remove it";
        case boundary_reason::unknown_value:
            return "it is not one of the field's words";
        case boundary_reason::out_of_range:
            return "the number is outside its range";
        case boundary_reason::malformed:
            return "the text has not the form of this field";
        case boundary_reason::unsupported_url:
            return "only http, https and data URLs are taken";
        case boundary_reason::not_allowed_here:
            return "content of this type can't be nested";
        case boundary_reason::too_short:
            return "it has too few characters";
    }
    return "it breaks a rule";
}

}  // namespace convene
