// SPDX-License-Identifier: Apache-2.0
// Repository URLs: scheme, host and port, and nothing that git could read in another way.
#include "skill/repository_address.hpp"

#include <algorithm>
#include <charconv>

namespace convene {

namespace {

/// Visible ASCII, but for the backslash, which some take for a slash, and what starts a query or a fragment.
bool is_usual(char c) noexcept { return c > ' ' && c <= '~' && c != '\\' && c != '?' && c != '#'; }

bool is_of_host(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool is_of_ipv6(char c) noexcept {
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' ||
           c == '.';
}

bool is_port(std::string_view digits) noexcept {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return failure == std::errc{} && end == digits.data() + digits.size() && port != 0;
}

struct host_and_port {
    std::string_view host;
    std::string_view port;  ///< with its colon; empty: none
};

/// An empty host: it is none.
host_and_port split(std::string_view authority) {
    if (authority.starts_with('[')) {
        const std::size_t end = authority.find(']');
        const std::string_view inside = authority.substr(1, std::min(end, authority.size()) - 1);
        const bool is_fine = end != std::string_view::npos &&
                             std::ranges::all_of(inside, is_of_ipv6);
        return is_fine ? host_and_port{inside, authority.substr(end + 1)} : host_and_port{};
    }
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    const std::string_view host = authority.substr(0, colon);
    const bool is_fine = std::ranges::all_of(host, is_of_host) && !host.starts_with('-');
    return is_fine ? host_and_port{host, authority.substr(colon)} : host_and_port{};
}

}  // namespace

checked<repository_address> parse_repository_url(
    std::string_view url, local_repositories local, std::string_view field
) {
    const auto refused = [field](boundary_reason reason) {
        return boundary_error{std::string{field}, reason};
    };
    if (url.empty()) {
        return refused(boundary_reason::empty);
    }
    if (url.size() > max_repository_url_bytes) {
        return refused(boundary_reason::too_long);
    }
    if (!std::ranges::all_of(url, is_usual)) {
        return refused(boundary_reason::unsupported_url);
    }
    if (url.starts_with("file:///") && local == local_repositories::allowed) {
        return repository_address{std::string{url}, {}, {}};
    }
    constexpr std::string_view scheme = "https://";
    if (!url.starts_with(scheme)) {
        return refused(boundary_reason::unsupported_url);
    }
    const std::string_view rest = url.substr(scheme.size());
    const auto [host, port] = split(rest.substr(0, rest.find('/')));
    if (host.empty()) {
        return refused(boundary_reason::unsupported_url);
    }
    if (!port.empty() && (!port.starts_with(':') || !is_port(port.substr(1)))) {
        return refused(boundary_reason::malformed);
    }
    return repository_address{
        std::string{url},
        std::string{host},
        port.empty() ? std::string{"443"} : std::string{port.substr(1)},
    };
}

}  // namespace convene
