// SPDX-License-Identifier: Apache-2.0
// Reads and writes the session's cookie.
#include "access/session_cookie.hpp"

namespace convene {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<std::string> session_secret_in(std::string_view cookie_header) {
    std::optional<std::string> found;
    while (!cookie_header.empty()) {
        const std::size_t end = cookie_header.find(';');
        const std::string_view pair = trimmed(cookie_header.substr(0, end));
        cookie_header.remove_prefix(end == std::string_view::npos ? cookie_header.size() : end + 1);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != session_cookie_name) {
            continue;
        }
        const std::string_view value = pair.substr(equals + 1);
        if (found && *found != value) {
            return std::nullopt;
        }
        found = value;
    }
    return found;
}

std::string session_cookie(
    std::string_view session_secret, std::chrono::seconds lifetime, transport_security transport
) {
    std::string cookie{session_cookie_name};
    cookie.append("=").append(session_secret);
    cookie += "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(lifetime.count());
    if (transport == transport_security::tls) {
        cookie += "; Secure";
    }
    return cookie;
}

std::string removed_session_cookie(transport_security transport) {
    return session_cookie("", std::chrono::seconds{0}, transport);
}

}  // namespace convene
