// SPDX-License-Identifier: Apache-2.0
// Database URLs: recognising and redacting.
#include "base/config/database_url.hpp"

#include <algorithm>

namespace convene {

namespace {

constexpr std::string_view hidden = "***";

/// `user:password@` with the password hidden.
std::string redacted_user(std::string_view user) {
    const std::size_t colon = user.find(':');
    std::string shown{user.substr(0, colon)};
    if (colon != std::string_view::npos) {
        shown += ':';
        shown += hidden;
    }
    return shown + '@';
}

}  // namespace

bool is_database_url(std::string_view text) {
    for (const std::string_view start : {"sqlite:///", "postgresql://", "postgres://"}) {
        if (text.starts_with(start)) {
            return text.size() > start.size();
        }
    }
    return false;
}

std::string redacted_database_url(std::string_view url) {
    const std::size_t scheme_end = url.find("://");
    if (scheme_end == std::string_view::npos) {
        return std::string{hidden};
    }
    std::string_view rest = url.substr(scheme_end + 3);
    std::string shown{url.substr(0, scheme_end + 3)};

    const std::size_t query = std::min(rest.find('?'), rest.size());
    const bool has_query = query < rest.size();
    rest = rest.substr(0, query);

    // The last @, not the first: a password may contain one although it should be escaped.
    const std::size_t at = rest.rfind('@');
    if (at != std::string_view::npos) {
        shown += redacted_user(rest.substr(0, at));
        rest.remove_prefix(at + 1);
    }
    shown += rest;
    if (has_query) {
        shown += '?';
        shown += hidden;
    }
    return shown;
}

}  // namespace convene
