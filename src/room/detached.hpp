// SPDX-License-Identifier: Apache-2.0
// Remembers in a room's metadata which channels were detached on purpose: a message never brings them back.
#pragma once

#include "convene/room.hpp"

#include <string>

namespace convene {

/// The metadata key that marks a detached channel.
[[nodiscard]] std::string detached_key(const channel_id& channel);

[[nodiscard]] bool was_detached(const room& room, const channel_id& channel);

}  // namespace convene
