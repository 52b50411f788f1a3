// SPDX-License-Identifier: Apache-2.0
// The URL of a skill's repository: over HTTPS, or a folder of this machine where the operator lets it.
#pragma once

#include "convene/boundary.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

inline constexpr std::size_t max_repository_url_bytes = 2048;

/// Whether `file:///...` is a repository too.
enum class local_repositories : std::uint8_t { refused, allowed };

struct repository_address {
    std::string url;
    std::string host;  ///< without brackets; empty: a folder of this machine
    std::string port;  ///< in digits; empty: a folder

    [[nodiscard]] bool is_local() const noexcept { return host.empty(); }
};

/// An absolute URL of visible ASCII, without user name, password, query or fragment. Where it leads is checked when it
/// is pulled. *Errors*: `empty`, `too_long`, `unsupported_url`, `malformed` (the port).
[[nodiscard]] checked<repository_address> parse_repository_url(
    std::string_view url, local_repositories local, std::string_view field
);

}  // namespace convene
