// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?": the known word nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene {

/// The nearest of `known` by number of edits, unless even that has little in common with `typed`.
[[nodiscard]] std::optional<std::string> nearest_word(
    std::string_view typed, std::span<const std::string> known
);

}  // namespace convene
