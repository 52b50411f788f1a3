// SPDX-License-Identifier: Apache-2.0
// What operators do to a room's lane by hand: stop it, let it go on, pass over its head, deliver again, replay a skip.
#pragma once

#include <cstdint>
#include <optional>

#include "room/engine_core.hpp"

namespace convene {

/// Does what `lane_fsm.hpp` decides. Works in the store, whichever worker has the claim: the epoch that it raises
/// makes the holder read the cursor again, and the lane of this worker is told at once.
/// *Thread safety*: loop only. *Lifetime*: part of the kit; the core outlives it.
class lane_operation {
   public:
    explicit lane_operation(engine_core* core) : core_(*core) {}

    /// See the functions of the same purpose of `room_kit`.
    [[nodiscard]] awaitable<result<lane_change>> pause(
        organization_id organization, room_id room, deadline patience
    );
    [[nodiscard]] awaitable<result<lane_change>> resume(organization_id organization, room_id room);
    [[nodiscard]] awaitable<result<skipped_head>> skip(
        organization_id organization, room_id room, std::optional<event_index> expected
    );
    [[nodiscard]] awaitable<result<redelivered_event>> redeliver(
        organization_id organization, room_id room, std::optional<event_id> event, deadline until
    );
    [[nodiscard]] awaitable<result<replayed_skip>> replay(
        organization_id organization, std::int64_t skip, deadline until
    );

   private:
    /// One try; `claim_lost` if the cursor moved meanwhile.
    [[nodiscard]] awaitable<result<skipped_head>> try_skip(
        organization_id organization, room_id room, std::optional<event_index> expected
    );
    [[nodiscard]] awaitable<result<std::optional<event_id>>> find_target(
        organization_id organization, room_id room
    );

    void expect_lost(error_code failure, const organization_id& organization, const room_id& room);

    /// True when nobody holds the room's claim any more.
    [[nodiscard]] awaitable<bool> wait_for_claim(
        organization_id organization, room_id room, deadline until
    );

    engine_core& core_;
};

}  // namespace convene
