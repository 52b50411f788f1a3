// SPDX-License-Identifier: Apache-2.0
// How an event is shown: a line for people, an object for programs.
#pragma once

#include "convene/event.hpp"
#include "convene/json_text.hpp"

#include <string>

#include "app/console.hpp"

namespace convene {

/// `   12  2026-01-31 09:05:00  user: Hello`, safe for a terminal.
[[nodiscard]] std::string event_for_people(const room_event& event, const output_stream& shown_on);

/// With the names that the HTTP API has for events.
[[nodiscard]] json_text event_for_programs(const room_event& event);

/// Who said it: a participant, else the sender's id, else the channel; `system` where there is none.
[[nodiscard]] std::string speaker_for_people(const event_source& source);

/// `2026-01-31 09:05:00`, in UTC.
[[nodiscard]] std::string time_for_people(wall_time when);

}  // namespace convene
