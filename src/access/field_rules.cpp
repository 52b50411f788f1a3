// SPDX-License-Identifier: Apache-2.0
// Names and emails: the text boundary, and the little more that they need.
#include "access/field_rules.hpp"

#include <algorithm>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

bool is_space(char c) { return c == ' '; }

}  // namespace

checked<> check_email(std::string_view email, std::string_view field) {
    boundary_limits limits;
    limits.max_id_bytes = max_email_bytes;
    // What may be an id has no control characters either.
    checked<> text = check_id(email, field, limits);
    if (!text) {
        return text;
    }
    const std::size_t at = email.find('@');
    const bool has_form = at != std::string_view::npos && at > 0 && at + 1 < email.size() &&
                          email.find('@', at + 1) == std::string_view::npos &&
                          std::ranges::none_of(email, is_space);
    if (!has_form) {
        return boundary_error{std::string{field}, boundary_reason::malformed};
    }
    return text;
}

checked<> check_name(std::string_view name, std::string_view field) {
    boundary_limits limits;
    limits.max_id_bytes = max_name_bytes;
    checked<> text = check_id(name, field, limits);
    if (!text) {
        return text;
    }
    if (std::ranges::all_of(name, is_space)) {
        return boundary_error{std::string{field}, boundary_reason::empty};
    }
    return text;
}

}  // namespace convene
