// SPDX-License-Identifier: Apache-2.0
// A reader's place in the tail of a room, and its text on the wire.
#pragma once

#include "convene/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// The last index a reader has seen, in one counting of the room. After a repair indexes mean something else, so
/// that the epoch tells which counting it was. Frozen on the wire: `12`, or `1-12` once the room was repaired.
struct tail_position {
    std::int64_t epoch = 0;
    event_index index;  ///< -1: nothing seen

    [[nodiscard]] std::string text() const;

    /// Nothing if it is no position. `-1` is one: from the beginning.
    [[nodiscard]] static std::optional<tail_position> parse(std::string_view text);

    friend bool operator==(const tail_position&, const tail_position&) = default;
};

}  // namespace convene
