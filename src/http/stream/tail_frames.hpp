// SPDX-License-Identifier: Apache-2.0
// Items of a tail on the wire: as frames of SSE, and as messages of a socket.
#pragma once

#include <string>
#include <string_view>

#include "live/room_tails.hpp"

namespace convene {

/// The frames of a page. Each has an id: the position behind it, so that whoever resumes there misses nothing.
[[nodiscard]] std::string sse_frames_of(const tail_page& page);

/// One message of a socket. `topic` is `room:ID`; `at` is the position behind the item.
[[nodiscard]] std::string socket_message_of(
    const tail_item& item, std::string_view topic, const tail_position& at
);

/// The position behind an item: its own index, or for what has none the one before.
[[nodiscard]] tail_position position_behind(const tail_item& item, const tail_position& before);

}  // namespace convene
