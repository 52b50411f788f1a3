// SPDX-License-Identifier: Apache-2.0
// Looking into canonical JSON text without parsing it: members, elements and strings as slices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

// All of these require text that the JSON gate or `json_writer` wrote. A value of another kind than
// asked for has no members, elements or text.

struct json_member {
    std::string_view key;    ///< as it is spelled, without its quotes
    std::string_view value;  ///< canonical JSON
};

[[nodiscard]] std::vector<json_member> members_of(std::string_view value);

[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view value);

/// The value of a member. `key` is a plain word: one that needs no escape.
[[nodiscard]] std::optional<std::string_view> find_member(
    std::string_view value, std::string_view key
);

/// The text of a JSON string.
[[nodiscard]] std::optional<std::string> decode_string(std::string_view value);

/// The text of a member that is a string.
[[nodiscard]] std::optional<std::string> find_text(std::string_view value, std::string_view key);

}  // namespace convene
