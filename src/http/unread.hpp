// SPDX-License-Identifier: Apache-2.0
// What a person has not read of a room: the one question of all surfaces.
#pragma once

#include "convene/room.hpp"

#include <string>

#include "store/operations/people.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// Asks for the unread messages of a participant, in the whole room.
[[nodiscard]] ops::count_unread unread_of(const std::string& reader, const room_context& around);

}  // namespace convene
