// SPDX-License-Identifier: Apache-2.0
// Reading conversations of a store in this process, beside whoever writes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/conversations.hpp"
#include "app/database_place.hpp"
#include "store/store.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the store outlives it, unless it is given to it.
class stored_reader final : public conversation_reader {
   public:
    /// `place` is the store's: following looks at a file for news. `close` leaves the store open.
    stored_reader(conversation_store& store, organization_id organization, database_place place);

    /// The same, with the store in its care: `close` closes it.
    stored_reader(
        std::unique_ptr<conversation_store> store,
        organization_id organization,
        database_place place
    );

    [[nodiscard]] awaitable<outcome<room_page>> list_rooms(
        std::optional<room_status> status, std::string from
    ) override;
    [[nodiscard]] awaitable<outcome<room_context>> get_room(room_id id) override;
    [[nodiscard]] awaitable<outcome<std::optional<room_context>>> look_up_room(std::string name
    ) override;
    [[nodiscard]] awaitable<outcome<event_page>> list_events(
        room_id of, event_index after, std::size_t limit
    ) override;
    [[nodiscard]] awaitable<outcome<index_map>> find_indexes(room_id of, std::vector<event_id> ids)
        override;
    [[nodiscard]] std::unique_ptr<event_feed> follow(const room& followed, event_index after)
        override;
    [[nodiscard]] awaitable<void> close() override;

   private:
    // fixed after construction
    const std::unique_ptr<conversation_store> owned_;  ///< null: somebody else's
    conversation_store& store_;
    const organization_id organization_;
    const database_place place_;
};

}  // namespace convene
