// SPDX-License-Identifier: Apache-2.0
// The window: which events of a room a model is shown, as the messages of a conversation (A9, R10).
#pragma once

#include "convene/chat.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace convene {

struct chat_window_limits {
    std::int64_t tokens = 24'000;           ///< of all messages together, as `approx_tokens` counts
    std::size_t tool_result_bytes = 4'096;  ///< of one result of an earlier answer
};

/// What a window is made from: events that the agent may see.
struct chat_window_source {
    channel_id agent;
    std::vector<room_event> history;       ///< ascending; the trigger may be in it
    std::optional<room_event> trigger;     ///< what is to be answered; unset: whatever came last
    std::vector<room_event> made_calls{};  ///< of an answer to it that was cut off
    std::vector<participant> participants{};
};

/// About as many tokens as models count: a quarter of the ASCII characters, and each other one.
[[nodiscard]] std::int64_t approx_tokens(std::string_view text) noexcept;

struct chat_window {
    std::vector<chat_message> messages;  ///< oldest first
    event_index first;                   ///< of the oldest event that is shown; 0: none is
};

/// The conversation with its newest events.
///
/// | the event                                  | becomes                                                     |
/// | ------------------------------------------ | ----------------------------------------------------------- |
/// | a message of the agent                     | the assistant's                                             |
/// | a message of anybody else, and the trigger | a user's; with a name if several others speak               |
/// | the agent's tool calls, one after another  | calls of its message right before them, or of one without a text; then their results |
/// | a call without a result                    | a call whose result says that nobody knows what became of it |
/// | anything else, and what was deleted        | nothing; an edit has changed its target before              |
///
/// Ids of calls are unique in it, whatever a model called them. What is too old for the limits is left out: never a
/// call without its result, and never the trigger or the calls made for it.
[[nodiscard]] chat_window make_chat_window(
    const chat_window_source& source, const chat_window_limits& limits
);

}  // namespace convene
