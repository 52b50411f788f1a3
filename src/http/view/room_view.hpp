// SPDX-License-Identifier: Apache-2.0
// Rooms as JSON.
#pragma once

#include "convene/room.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& room_status_schema();
[[nodiscard]] const schema& room_schema();

/// A room with its channels and participants.
[[nodiscard]] const schema& room_detail_schema();

/// What a room's timers are set to; `null`: never.
[[nodiscard]] const schema& room_timers_schema();

/// The text under `name` in a room's metadata; empty if there is none.
[[nodiscard]] std::string display_name_of(const room& shown);

void write_room(json_writer& out, const room& shown);
void write_room_detail(json_writer& out, const room_context& shown);

[[nodiscard]] json_text room_as_json(const room& shown);

}  // namespace convene
