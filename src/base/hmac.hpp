// SPDX-License-Identifier: Apache-2.0
// Codes of messages under a secret, and comparing secrets without telling where they differ.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.hpp"

namespace convene {

/// HMAC-SHA256 of `message`.
[[nodiscard]] sha256_digest hmac_sha256(
    std::span<const std::uint8_t> key, std::string_view message
);
[[nodiscard]] sha256_digest hmac_sha256(std::string_view key, std::string_view message);

/// Compares in a time that says nothing about where the two differ.
[[nodiscard]] bool is_equal_secret(std::string_view a, std::string_view b);

}  // namespace convene
