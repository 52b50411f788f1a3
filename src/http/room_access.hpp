// SPDX-License-Identifier: Apache-2.0
// What somebody may see and do in a room (X1, R10): the one rule of all surfaces.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room.hpp"
#include "convene/room_kit.hpp"

#include <vector>

#include "http/principal.hpp"
#include "http/problem.hpp"
#include "store/store.hpp"

namespace convene {

/// The channel of people who use the web app.
[[nodiscard]] const channel_id& web_channel();

/// Operators, admins and tokens: every room of the organisation. A member: where it is an active participant.
[[nodiscard]] bool may_see_room(const principal& who, const room_context& around);

/// The room with what somebody may see of it, read now. *Errors*: 404 as well if it may not be seen.
[[nodiscard]] awaitable<or_problem<room_context>> read_seen_room(
    room_kit* kit, principal who, room_id room
);

/// May change bindings, participants and the room itself: its owners, operators, admins and tokens.
[[nodiscard]] bool may_manage_room(const principal& who, const room_context& around);

/// True for an owner of the room, whatever the role in the organisation.
[[nodiscard]] bool is_room_owner(const principal& who, const room_context& around);

/// The channel through which a user reads and writes: a binding of its own, else `web`.
[[nodiscard]] channel_id channel_of(const principal& who, const room_context& around);

/// Whether somebody may see an event. Who sees every room sees blocked events too, and whatever their
/// visibility; a member sees what is its own, and accepted events that its channel may see.
[[nodiscard]] bool may_see_event(
    const principal& who, const room_context& around, const room_event& event
);

/// An event as its sender gets it back: a tombstone where it was taken back since.
[[nodiscard]] room_event shown_event(room_event event);

/// What of some events of a room somebody may see, in the same order. A soft-deleted event is a tombstone
/// without its content, and so is every edit of it. `events` may have holes: whether the target of an edit was
/// deleted is looked up.
[[nodiscard]] awaitable<result<std::vector<room_event>>> visible_events(
    conversation_store* store, principal who, room_context around, std::vector<room_event> events
);

}  // namespace convene
