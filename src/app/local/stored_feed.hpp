// SPDX-License-Identifier: Apache-2.0
// Following a room of a store that another process writes: looks for news when its files have changed, or on a server
// now and then.
#pragma once

#include <vector>

#include "app/change_watch.hpp"
#include "app/conversations.hpp"
#include "app/database_place.hpp"

namespace convene {

/// *Lifetime*: the reader outlives it.
class stored_feed final : public event_feed {
   public:
    stored_feed(
        conversation_reader& reader,
        const database_place& place,
        const room& followed,
        event_index after
    );

    [[nodiscard]] awaitable<outcome<std::vector<room_event>>> next() override;

   private:
    [[nodiscard]] awaitable<result<>> until_changed();
    [[nodiscard]] awaitable<outcome<>> check_not_repaired();

    // fixed after construction
    conversation_reader& reader_;
    const room_id room_;
    const std::int64_t epoch_;  ///< of the room's indexes, when following began

    const std::chrono::milliseconds longest_trust_;  ///< in files that have not changed

    // touched on the loop only
    change_watch watch_;
    event_index last_;
    bool has_looked_ = false;  ///< since the last change
};

}  // namespace convene
