// SPDX-License-Identifier: Apache-2.0
// Messages that readers of a run have seen and that are no events yet: kept as far as they came.
#pragma once

#include "convene/room_kit.hpp"

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/session/run_transcript.hpp"
#include "store/session_values.hpp"

namespace convene {

struct shown_messages {
    channel_id agent;
    std::int64_t epoch = 0;  ///< the session's
    agent_run_record run;
    std::vector<told_message> messages;
};

/// How an event of a session is stored.
using event_append = std::function<awaitable<result<>>(outgoing_event, driver_append)>;

/// Stores those that are not stored yet, as what their run has said, under the ids that they were shown with. It may be said
/// again. What the room refuses for good is logged and left out: the stream has to end all the same.
/// *Requires*: the session's lease. *Errors*: those after which somebody can try again: `driver_fenced`, store errors.
[[nodiscard]] awaitable<result<>> keep_shown_messages(
    conversation_store* store, shown_messages shown, event_append append
);

}  // namespace convene
