// SPDX-License-Identifier: Apache-2.0
// The conversations of a server, over its API.
#pragma once

#include "convene/loop.hpp"

#include <string>
#include <unordered_map>

#include "app/conversations.hpp"
#include "app/options.hpp"
#include "app/remote/api_client.hpp"
#include "store/store.hpp"

namespace convene {

/// *Thread safety*: loop only.
class server_conversations final : public conversation_reader,
                                   public conversation_writer,
                                   public conversation_access {
   public:
    server_conversations(loop& where, server_address server);

    // -- reading -----------------------------------------------------------------------------------

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

    // -- writing -----------------------------------------------------------------------------------

    [[nodiscard]] awaitable<outcome<room_context>> create_room(
        room wanted, std::vector<participant> participants
    ) override;
    [[nodiscard]] awaitable<outcome<>> add_participant(participant joining) override;
    [[nodiscard]] awaitable<outcome<send_receipt>> send_event(outgoing_event sent, wait_for until)
        override;
    [[nodiscard]] awaitable<outcome<>> set_room_status(room_id id, room_status to) override;

    /// One: events that come over several connections arrive in any order.
    [[nodiscard]] std::size_t most_in_flight() const noexcept override { return 1; }

    // -- for as long as a command runs: the server delivers ----------------------------------------

    [[nodiscard]] conversation_reader& reader() noexcept override { return *this; }

    [[nodiscard]] conversation_writer& writer() noexcept override { return *this; }

    [[nodiscard]] awaitable<outcome<>> start() override;
    [[nodiscard]] awaitable<outcome<std::int64_t>> settle() override;
    [[nodiscard]] awaitable<void> stop() override;

    // -- operation ---------------------------------------------------------------------------------

    [[nodiscard]] awaitable<outcome<ops::dedupe_event_indices::answer>> repair_indexes(
        repair_mode mode
    );

    /// The version of the server's program.
    [[nodiscard]] awaitable<outcome<std::string>> version();

    [[nodiscard]] api_client& client() noexcept { return client_; }

   private:
    struct place {
        room_id room;
        event_index index;
    };

    [[nodiscard]] awaitable<outcome<std::optional<room_context>>> find_room_at(std::string path);
    [[nodiscard]] awaitable<outcome<std::optional<event_index>>> find_index(
        room_id of, event_id id
    );
    void remember(const room_event& seen);
    [[nodiscard]] const place* recall(const event_id& id) const;

    // touched on the loop only
    api_client client_;

    /// Where events were, that were read lately: most that events refer to stands shortly before them. When the
    /// first is full it becomes the second, so that the memory is bounded.
    std::unordered_map<event_id, place> recent_;
    std::unordered_map<event_id, place> older_;
};

}  // namespace convene
