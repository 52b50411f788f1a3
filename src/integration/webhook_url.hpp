// SPDX-License-Identifier: Apache-2.0
// What the URL of a webhook must be.
#pragma once

#include "convene/boundary.hpp"

#include <cstddef>
#include <string_view>

namespace convene {

inline constexpr std::size_t max_webhook_url_bytes = 2048;

/// An absolute `http` or `https` URL of visible ASCII, with a host, without user name and password. Where it leads is
/// checked when it is connected to. *Errors*: `empty`, `too_long`, `unsupported_url`.
checked<> check_webhook_url(std::string_view url, std::string_view field);

}  // namespace convene
