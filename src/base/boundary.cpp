// SPDX-License-Identifier: Apache-2.0
// The boundary's answers: their words, and the exception of a caller who wanted none.
#include "convene/boundary.hpp"

#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

namespace convene {

std::string_view word_of(boundary_reason reason) noexcept {
    switch (reason) {
        case boundary_reason::invalid_utf8:
            return "invalid_utf8";
        case boundary_reason::nul_character:
            return "nul_character";
        case boundary_reason::lone_surrogate:
            return "lone_surrogate";
        case boundary_reason::control_character:
            return "control_character";
        case boundary_reason::empty:
            return "empty";
        case boundary_reason::too_long:
            return "too_long";
        case boundary_reason::too_deep:
            return "too_deep";
        case boundary_reason::too_many:
            return "too_many";
        case boundary_reason::not_json:
            return "not_json";
        case boundary_reason::duplicate_key:
            return "duplicate_key";
        case boundary_reason::wrong_type:
            return "wrong_type";
        case boundary_reason::missing_field:
            return "missing_field";
        case boundary_reason::unknown_field:
            return "unknown_field";
        case boundary_reason::unknown_value:
            return "unknown_value";
        case boundary_reason::out_of_range:
            return "out_of_range";
        case boundary_reason::malformed:
            return "malformed";
        case boundary_reason::unsupported_url:
            return "unsupported_url";
        case boundary_reason::not_allowed_here:
            return "not_allowed_here";
        case boundary_reason::too_short:
            return "too_short";
    }
    return "unknown_reason";
}

void throw_exception_from_error(const boundary_error& error, const boost::source_location& where) {
    std::string text = error.field;
    text += ": ";
    text += word_of(error.reason);
    boost::throw_with_location(boost::system::system_error{error.code(), text}, where);
}

repair_record& repair_record::operator+=(const repair_record& other) noexcept {
    invalid_utf8 += other.invalid_utf8;
    lone_surrogates += other.lone_surrogates;
    nul_characters += other.nul_characters;
    dropped_bytes += other.dropped_bytes;
    if (!kept_as_text) {
        kept_as_text = other.kept_as_text;
    }
    return *this;
}

}  // namespace convene
