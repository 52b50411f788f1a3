// SPDX-License-Identifier: Apache-2.0
// Base64 without padding, in the alphabet of password hashes and in the one of URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

enum class base64_alphabet {
    standard,  ///< `+` and `/`
    url,       ///< `-` and `_`
};

[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes, base64_alphabet alphabet);

/// The bytes of text in the standard alphabet; nothing for text that `to_base64` does not make.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace convene
