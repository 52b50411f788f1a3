// SPDX-License-Identifier: Apache-2.0
// A page of a room's timeline as somebody may see it.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room.hpp"

#include <optional>
#include <vector>

#include "http/principal.hpp"
#include "store/store.hpp"

namespace convene {

struct timeline_page {
    std::vector<room_event> events;  ///< ascending
    std::optional<std::int64_t>
        next_index;  ///< where the next page begins: the cursor to ask with; unset: the end
};

/// Reads until the page is full, the timeline ends, or a bounded number of events was looked at: what a reader
/// may not see costs no page. `request.after` reads forwards, `before` and `newest_first` backwards.
/// *Errors*: those of `list_events`.
[[nodiscard]] awaitable<result<timeline_page>> read_timeline(
    conversation_store* store, principal who, room_context around, ops::list_events request
);

}  // namespace convene
