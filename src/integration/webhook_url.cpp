// SPDX-License-Identifier: Apache-2.0
// The URL of a webhook: scheme, host, and nothing that could be read in two ways.
#include "integration/webhook_url.hpp"

#include <algorithm>
#include <string>

namespace convene {

namespace {

/// Visible ASCII, but for the backslash, which some take for a slash.
bool is_usual(char c) noexcept { return c > ' ' && c <= '~' && c != '\\'; }

/// The part between `://` and the path; empty for another scheme.
std::string_view authority_of(std::string_view url) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (url.starts_with(scheme)) {
            url.remove_prefix(scheme.size());
            return url.substr(0, url.find_first_of("/?#"));
        }
    }
    return {};
}

}  // namespace

checked<> check_webhook_url(std::string_view url, std::string_view field) {
    const auto refused = [field](boundary_reason reason) {
        return boundary_error{std::string{field}, reason};
    };
    if (url.empty()) {
        return refused(boundary_reason::empty);
    }
    if (url.size() > max_webhook_url_bytes) {
        return refused(boundary_reason::too_long);
    }
    const std::string_view authority = authority_of(url);
    const bool has_host = !authority.empty() && authority.front() != ':';
    if (!has_host || authority.find('@') != std::string_view::npos ||
        !std::ranges::all_of(url, is_usual)) {
        return refused(boundary_reason::unsupported_url);
    }
    return {};
}

}  // namespace convene
