// SPDX-License-Identifier: Apache-2.0
// Text from outside as a terminal may show it: nothing in it moves the cursor, colours or reorders.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// `text` with controls and direction marks spelled out (`\u{1b}`, `\u{202e}`) and what is not UTF-8 replaced.
/// Line ends stay, followed by `indent`, so that a message can't pass itself off as the next one.
[[nodiscard]] std::string printable(std::string_view text, std::string_view indent = "    ");

/// The same on one line: line ends are spelled out too. For names.
[[nodiscard]] std::string printable_name(std::string_view name);

}  // namespace convene
