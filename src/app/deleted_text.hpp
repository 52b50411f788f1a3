// SPDX-License-Identifier: Apache-2.0
// What was deleted is not shown: neither the message itself nor the edits that repeat its text.
#pragma once

#include "convene/event.hpp"

#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace convene {

/// What stands in its place.
inline constexpr std::string_view deleted_text = "[Message deleted]";

/// Replaces content and metadata of deleted messages in `page`, which are events of one room.
[[nodiscard]] awaitable<result<>> hide_deleted(
    conversation_store* store, room_id room, std::vector<room_event>* page
);

}  // namespace convene
