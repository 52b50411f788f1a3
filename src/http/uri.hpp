// SPDX-License-Identifier: Apache-2.0
// Percent-encoded text of a request's target, and query strings.
#pragma once

#include "convene/boundary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene {

enum class plus_sign : unsigned char { is_plus, is_space };

/// The bytes an encoded text stands for; nothing if an escape is cut or malformed.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, plus_sign plus);

/// Text as a segment of a path: all but letters, digits and `-._~` escaped.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// The pairs of a query string, decoded and through the text boundary. An error names the parameter.
checked<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace convene
