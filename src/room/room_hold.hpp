// SPDX-License-Identifier: Apache-2.0
// A room held still: its lock and its delivery claim, for what changes the past (engine.md 5).
#pragma once

#include <memory>

#include "room/engine_core.hpp"

namespace convene {

/// Nothing is committed into the room and no set of it runs. Dropping it gives both back as dirty.
struct room_hold {
    std::unique_ptr<lease> lock;
    std::unique_ptr<lease> claim;
};

/// The lock first, then the claim: everybody's order. *Errors*: `not_found`, `process_timeout`, those of `enter_room`
/// and of `lock_manager::acquire`.
[[nodiscard]] awaitable<result<room_hold>> hold_room(
    engine_core* core, organization_id organization, room_id room, deadline until
);

/// Gives both back. Not cancellable.
[[nodiscard]] awaitable<void> let_go(room_hold held);

}  // namespace convene
