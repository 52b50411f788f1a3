// SPDX-License-Identifier: Apache-2.0
// The JSON of a provider's frame, with texts as they came: they may end inside a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"

namespace convene {

/// Reads a frame; nothing if it is no JSON. Not by the gate of the text boundary, which would repair the halves of a
/// character that two frames share: texts are repaired when they are put together (`text_mender`). Half a UTF-16 pair
/// is kept as three bytes.
[[nodiscard]] std::optional<boost::json::value> read_frame(std::string_view data);

// What is absent, or of another type than asked for, is null, empty or 0: compatible servers leave out much. A null
// value has no members.

[[nodiscard]] const boost::json::value* member(
    const boost::json::value* of, std::string_view name
) noexcept;
[[nodiscard]] const boost::json::value* element(
    const boost::json::value* of, std::size_t index
) noexcept;
[[nodiscard]] std::string_view text_of(const boost::json::value* value) noexcept;
[[nodiscard]] std::optional<std::int64_t> integer_of(const boost::json::value* value) noexcept;

/// A count of tokens; nothing for a number that can't be one.
[[nodiscard]] std::optional<std::int64_t> tokens_of(const boost::json::value* value) noexcept;

}  // namespace convene
