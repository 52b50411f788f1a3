// SPDX-License-Identifier: Apache-2.0
// What a server answers, as the values that the commands work with.
#pragma once

#include "convene/boundary.hpp"
#include "convene/room.hpp"
#include "convene/room_kit.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "app/conversations.hpp"
#include "app/remote/answer_fields.hpp"

namespace convene {

// All of these read a JSON object that passed the gate. *Errors*: the field that is missing or of another form.

/// What the commands use of a room; the rest is as in a new one.
[[nodiscard]] checked<room> read_room(std::string_view object);

/// A room with its channels, of which visibility alone is read, and its participants.
[[nodiscard]] checked<room_context> read_room_context(std::string_view object);

/// `next` is the cursor.
[[nodiscard]] checked<room_page> read_room_page(std::string_view object);

/// An edit of a deleted message becomes what a reader of the database sees: an edit without its text.
[[nodiscard]] checked<room_event> read_event(std::string_view object);
[[nodiscard]] checked<event_page> read_event_page(std::string_view object);
[[nodiscard]] checked<send_receipt> read_receipt(std::string_view object);

/// The body of a request that sends it. *Requires*: nothing of it belongs to another organisation.
[[nodiscard]] json_text body_of(const outgoing_event& sent);
[[nodiscard]] json_text body_of(const room& wanted, const std::vector<participant>& participants);
[[nodiscard]] json_text body_of(const participant& joining);

}  // namespace convene
