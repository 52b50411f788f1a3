// SPDX-License-Identifier: Apache-2.0
// Base64 in the forms that our formats have: with and without padding, and in the alphabet of URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

enum class base64_form {
    standard,  ///< `+` and `/`, without padding
    padded,    ///< `+` and `/`, filled up with `=` to a multiple of four
    url,       ///< `-` and `_`, without padding
};

[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes, base64_form form);

/// The bytes of a text in that form; nothing for text that `to_base64` does not make.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_base64(
    std::string_view text, base64_form form
);

}  // namespace convene
