// SPDX-License-Identifier: Apache-2.0
// Sets a turn aside that can't be run: its stream gets an end, and an operator has to look (N4).
#pragma once

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <string>

#include "agent/session/run_log.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// Quarantines a turn whose session's lease is held here. What the driver that is gone has shown is kept in the room first,
/// and the streams of its runs get their end: those of runs that were cut off before, and with the quarantine that of the run
/// that the session has open.
/// *Errors*: the turn stays as it is, for whoever looks at it next: store errors; `not_found` (there is no such turn any
/// more).
[[nodiscard]] awaitable<result<session_turn>> set_aside(
    room_kit* kit, run_log* streams, session_turn turn, std::string reason
);

}  // namespace convene
