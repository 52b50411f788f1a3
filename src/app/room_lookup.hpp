// SPDX-License-Identifier: Apache-2.0
// Finding a room by what a person calls it.
#pragma once

#include "convene/room.hpp"

#include <optional>
#include <string>

#include "app/conversations.hpp"
#include "app/failure.hpp"
#include "store/store.hpp"

namespace convene {

/// The room with this external id, or else with this id; nothing if there is neither.
[[nodiscard]] awaitable<result<std::optional<room>>> look_up_room(
    conversation_store* store, organization_id organization, std::string name
);

/// The same where there has to be one, and where a person gave the name.
[[nodiscard]] awaitable<outcome<room_context>> find_room(
    conversation_reader* reader, std::string name
);

/// What a person calls the room.
[[nodiscard]] const std::string& name_of(const room& found) noexcept;

}  // namespace convene
