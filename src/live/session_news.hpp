// SPDX-License-Identifier: Apache-2.0
// Who sees a session's room is told when it runs, ends, asks or is answered.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/ids.hpp"

#include "live/inbox_feed.hpp"

namespace convene {

class conversation_store;

/// Looks up once, for all who are told on this worker, who is in the room; not at all where nobody of the organisation is here.
///
/// *Thread safety*: loop only. *Lifetime*: its parts outlive it.
class session_news {
   public:
    session_news(conversation_store* store, inbox_feed* inbox) : store_(*store), inbox_(*inbox) {}

    [[nodiscard]] awaitable<void> tell(organization_id organization, room_id room);

   private:
    conversation_store& store_;
    inbox_feed& inbox_;
};

}  // namespace convene
