// SPDX-License-Identifier: Apache-2.0
// From a word back to the enumerator it stands for in storage and on the wire.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

namespace convene {

/// The enumerator whose `word_of` is `word`.
/// *Requires*: the enumerators are numbered from `first` without a gap, and `word_of` is empty
/// beyond the last.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> enumerator_of(
    std::string_view word, Enum first
) noexcept {
    using number = std::underlying_type_t<Enum>;
    for (auto n = static_cast<number>(first);; ++n) {
        const auto value = static_cast<Enum>(n);
        const std::string_view candidate = word_of(value);
        if (candidate.empty()) {
            return std::nullopt;
        }
        if (candidate == word) {
            return value;
        }
    }
}

}  // namespace convene
