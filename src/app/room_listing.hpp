// SPDX-License-Identifier: Apache-2.0
// Going through all rooms, a page at a time.
#pragma once

#include "convene/room.hpp"

#include <optional>
#include <vector>

#include "store/store.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the store outlives it.
class room_listing {
   public:
    /// Rooms of every organisation, and in every state, where nothing is given.
    room_listing(
        conversation_store* store,
        std::optional<organization_id> organization,
        std::optional<room_status> status
    )
        : store_(*store), organization_(std::move(organization)), status_(status) {}

    /// The next rooms by id; none at the end.
    [[nodiscard]] awaitable<result<std::vector<room>>> next_page();

   private:
    conversation_store& store_;
    const std::optional<organization_id> organization_;
    const std::optional<room_status> status_;
    room_id last_;
};

}  // namespace convene
