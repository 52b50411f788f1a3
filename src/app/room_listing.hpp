// SPDX-License-Identifier: Apache-2.0
// Going through all rooms of a database, a page at a time.
#pragma once

#include "convene/room.hpp"

#include <vector>

#include "store/store.hpp"

namespace convene {

/// Rooms of every organisation, in every state.
///
/// *Thread safety*: loop only. *Lifetime*: the store outlives it.
class room_listing {
   public:
    explicit room_listing(conversation_store* store) : store_(*store) {}

    /// The next rooms by id; none at the end.
    [[nodiscard]] awaitable<result<std::vector<room>>> next_page();

   private:
    conversation_store& store_;
    room_id last_;
};

}  // namespace convene
