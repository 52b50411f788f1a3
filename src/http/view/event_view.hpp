// SPDX-License-Identifier: Apache-2.0
// Events as JSON, for the API, its streams and the command line.
#pragma once

#include "convene/event.hpp"
#include "convene/room_kit.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& event_schema();
[[nodiscard]] const schema& event_type_schema();

/// An event with what became of sending it.
[[nodiscard]] const schema& event_answer_schema();

[[nodiscard]] std::string_view word_of(delivery_progress progress) noexcept;

void write_event(json_writer& out, const room_event& shown);
[[nodiscard]] json_text event_as_json(const room_event& shown);

/// `shown` replaces the receipt's event: what the sender may see of it.
[[nodiscard]] json_text event_answer_as_json(const room_event& shown, const send_receipt& receipt);

}  // namespace convene
