// SPDX-License-Identifier: Apache-2.0
// What is stored of a run's stream, as whoever goes on with it, or ends it in another's place, needs it.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"

#include <string>
#include <vector>

#include "agent/agui/agui_encoder.hpp"
#include "agent/session/run_transcript.hpp"
#include "store/session_values.hpp"

namespace convene {

class conversation_store;

struct told_run {
    agui_encoder encoder;  ///< goes on behind the last stored frame
    run_transcript transcript;
};

/// Reads all of it. *Errors*: `corrupt_data`, store errors.
[[nodiscard]] awaitable<result<told_run>> load_told_run(
    conversation_store* store, agent_run_record run
);

/// The frames that end a stream whose driver is gone for good: calls without a result get one that says so, groups are
/// closed, and the end is an error.
[[nodiscard]] std::vector<run_frame> closing_frames(told_run told, const agent_run_record& run);

}  // namespace convene
