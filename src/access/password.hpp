// SPDX-License-Identifier: Apache-2.0
// Passwords: what one must be, and its hash as it is stored (docs/formats/secrets.md).
#pragma once

#include "convene/boundary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

/// What a hash costs: scrypt (RFC 7914) with N = 2^log2_n takes 128 * r * N bytes.
struct scrypt_cost {
    int log2_n = 15;
    int r = 8;
    int p = 1;
};

using password_salt = std::array<std::uint8_t, 16>;

inline constexpr std::size_t min_password_characters = 10;
inline constexpr std::size_t max_password_bytes = 1024;

/// Refuses what is no text, too short or too long.
checked<> check_password(std::string_view password, std::string_view field);

/// The hash with cost and salt, as one text. Blocks for as long as it costs: never on the loop.
[[nodiscard]] std::string hash_password(
    std::string_view password, const password_salt& salt, const scrypt_cost& cost
);

/// True if the text was made from this password. Blocks like `hash_password`, and compares in constant time. False
/// for a text that is not of our form or that would cost more than 256 MiB.
[[nodiscard]] bool is_password(std::string_view password, std::string_view stored);

/// A hash that no password has, at this cost.
[[nodiscard]] std::string unmatched_hash(const scrypt_cost& cost);

}  // namespace convene
