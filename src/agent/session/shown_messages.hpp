// SPDX-License-Identifier: Apache-2.0
// Messages that readers of a run have seen and that are no events yet: kept as far as they came.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"

#include <cstdint>
#include <vector>

#include "agent/session/run_transcript.hpp"
#include "store/session_values.hpp"

namespace convene {

class room_kit;

struct shown_messages {
    channel_id agent;
    std::int64_t epoch = 0;  ///< the session's
    agent_run_record run;
    std::vector<told_message> messages;
};

/// Stores those that are not stored yet, under the ids that they were shown with. It may be said again.
/// *Requires*: the session's lease. *Errors*: `driver_fenced`, store errors, those of a refused append.
[[nodiscard]] awaitable<result<>> keep_shown(room_kit* kit, shown_messages shown);

}  // namespace convene
