// SPDX-License-Identifier: Apache-2.0
// How an event is shown to people: a line. Programs get it as `http/view/event_view.hpp` writes it.
#pragma once

#include "convene/event.hpp"

#include <string>

#include "app/console.hpp"

namespace convene {

/// `   12  2026-01-31 09:05:00  user: Hello`, safe for a terminal.
[[nodiscard]] std::string event_for_people(const room_event& event, const output_stream& shown_on);

/// Who said it: a participant, else the sender's id, else the channel; `system` where there is none.
[[nodiscard]] std::string speaker_for_people(const event_source& source);

/// `2026-01-31 09:05:00`, in UTC.
[[nodiscard]] std::string time_for_people(wall_time when);

}  // namespace convene
