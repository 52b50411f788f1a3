// SPDX-License-Identifier: Apache-2.0
// Field paths: how an error names the place in a JSON document, as `content.parts[2].body`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene {

/// Appends a member's key: `.body`, or `["odd key"]` for a key that is not a plain word. Keys come
/// from outside: the path has them escaped and cut, so that it can be printed anywhere. *Requires*:
/// `key` is well-formed UTF-8.
void append_member(std::string& path, std::string_view key);

/// The same for a key as canonical JSON spells it, without its quotes.
void append_spelled_member(std::string& path, std::string_view spelled_key);

/// Appends an element's position: `[2]`.
void append_element(std::string& path, std::size_t index);

[[nodiscard]] std::string member_path(std::string_view object_path, std::string_view key);
[[nodiscard]] std::string element_path(std::string_view array_path, std::size_t index);

}  // namespace convene
