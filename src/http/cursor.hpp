// SPDX-License-Identifier: Apache-2.0
// Cursors of lists: where the next page begins, as a text that callers keep and do not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// Base64url of a version and the position. Another version may write others; what it can't read is refused.
[[nodiscard]] std::string encode_cursor(std::string_view position);
[[nodiscard]] std::optional<std::string> decode_cursor(std::string_view cursor);

}  // namespace convene
