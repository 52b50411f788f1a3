// SPDX-License-Identifier: Apache-2.0
// An event as a caller sends it, over HTTP or a socket: what it may say, and in whose name.
#pragma once

#include "convene/room_kit.hpp"

#include "http/principal.hpp"
#include "http/problem.hpp"
#include "http/schema.hpp"

namespace convene {

/// `{"content":{...}, "channel_id":"web", ...}`: only `content` is needed.
[[nodiscard]] const schema& new_event_schema();

/// The event to send. A user writes as itself, through `web` or a channel of its own; it says messages, edits and
/// deletions. A token writes through any channel, or as the system. `body` was held against
/// `new_event_schema`. *Errors*: 403, 422.
[[nodiscard]] or_problem<outgoing_event> read_outgoing(
    const principal& who, const room_context& around, const read_object& body
);

/// An event of the caller's own about another one: an edit or a deletion. A user who is neither its author nor an
/// owner of the room, but may see every room, acts by the system's right, and the event's metadata says who it was.
[[nodiscard]] outgoing_event change_by(
    const principal& who, const room_context& around, const room_event& target
);

}  // namespace convene
