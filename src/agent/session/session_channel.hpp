// SPDX-License-Identifier: Apache-2.0
// What a registered agent is to sessions: whom they ask, and what becomes of a message that people send in the ordinary way.
#pragma once

#include "convene/channel.hpp"
#include "convene/room_kit.hpp"

#include "agent/session/session_driver.hpp"
#include "store/session_values.hpp"

namespace convene {

/// The agent that a channel is. *Errors*: `channel_not_registered`.
[[nodiscard]] result<session_agent> session_agent_of(const room_kit& kit, const channel_id& id);

/// A message that was sent into a session is a turn of it (engine.md 6); asked again for the same delivery it is the same
/// turn. False: the room is no session. *Errors*: those of the store.
[[nodiscard]] awaitable<result<bool>> queue_message_turn(room_kit* kit, agent_request request);

}  // namespace convene
