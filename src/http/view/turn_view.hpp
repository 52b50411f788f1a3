// SPDX-License-Identifier: Apache-2.0
// Turns of agent sessions as JSON, as operators see them.
#pragma once

#include <optional>
#include <string_view>

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/session_values.hpp"

namespace convene {

[[nodiscard]] const schema& turn_schema();

/// What it says to the agent is left out: that is for the people of its room.
void write_turn(json_writer& out, const session_turn& shown, wall_time now);

/// Nothing if it is no word of a status.
[[nodiscard]] std::optional<turn_status> turn_status_of(std::string_view word);

}  // namespace convene
