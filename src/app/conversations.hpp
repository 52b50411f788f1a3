// SPDX-License-Identifier: Apache-2.0
// The ports of the commands: rooms and their events, be they in a database here or on a server.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room.hpp"
#include "convene/room_kit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/failure.hpp"

namespace convene {

struct room_page {
    std::vector<room> rooms;
    std::string next;  ///< what to ask on with; empty at the end
};

struct event_page {
    std::vector<room_event> events;         ///< by index; what was deleted is a tombstone
    std::optional<event_index> next_after;  ///< where the next page begins; unset at the end
};

/// Where events are, by their ids.
using index_map = std::unordered_map<std::string, event_index>;

/// What comes into one room.
///
/// *Thread safety*: loop only. *Lifetime*: the reader that it came from outlives it.
class event_feed {
   public:
    virtual ~event_feed() = default;

    /// What comes next, in order, each index once; one event at least. Waits for it.
    /// *Cancellation*: at any time; nothing is lost by it.
    [[nodiscard]] virtual awaitable<outcome<std::vector<room_event>>> next() = 0;
};

/// Reads conversations. Deleted text is hidden: of a deleted message, and of the edits that repeat it.
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed. *Cancellation*: reads can be cancelled.
class conversation_reader {
   public:
    virtual ~conversation_reader() = default;

    /// The next rooms by creation, from the beginning where `from` is empty.
    [[nodiscard]] virtual awaitable<outcome<room_page>> list_rooms(
        std::optional<room_status> status, std::string from
    ) = 0;

    [[nodiscard]] virtual awaitable<outcome<room_context>> get_room(room_id id) = 0;

    /// The room with this external id, or else with this id; nothing if there is neither.
    [[nodiscard]] virtual awaitable<outcome<std::optional<room_context>>> look_up_room(
        std::string name
    ) = 0;

    /// At most `limit` events with a greater index than `after`.
    [[nodiscard]] virtual awaitable<outcome<event_page>> list_events(
        room_id of, event_index after, std::size_t limit
    ) = 0;

    /// The indexes of those of `ids` that are events of the room.
    [[nodiscard]] virtual awaitable<outcome<index_map>> find_indexes(
        room_id of, std::vector<event_id> ids
    ) = 0;

    /// What comes with a greater index than `after`. `room` is as it was read last.
    [[nodiscard]] virtual std::unique_ptr<event_feed> follow(
        const room& followed, event_index after
    ) = 0;

    [[nodiscard]] virtual awaitable<void> close() = 0;
};

/// Changes conversations.
///
/// *Thread safety*: loop only. *Cancellation*: before the change is stored nothing is; later it has no effect.
class conversation_writer {
   public:
    virtual ~conversation_writer() = default;

    [[nodiscard]] virtual awaitable<outcome<room_context>> create_room(
        room wanted, std::vector<participant> participants
    ) = 0;

    /// *Requires*: it is not among the room's participants.
    [[nodiscard]] virtual awaitable<outcome<>> add_participant(participant joining) = 0;

    /// Sends it once: where no answer comes and it has an idempotency key, it is sent again under the same key.
    [[nodiscard]] virtual awaitable<outcome<send_receipt>> send_event(
        outgoing_event sent, wait_for until
    ) = 0;

    [[nodiscard]] virtual awaitable<outcome<>> set_room_status(room_id id, room_status to) = 0;

    /// How many events of one room may be sent at a time without losing their order.
    [[nodiscard]] virtual std::size_t most_in_flight() const noexcept = 0;
};

/// Reading and writing for as long as a command runs.
///
/// *Lifetime*: started, used and stopped inside one run of the loop; stopped before it is destroyed.
class conversation_access {
   public:
    virtual ~conversation_access() = default;

    [[nodiscard]] virtual conversation_reader& reader() noexcept = 0;
    [[nodiscard]] virtual conversation_writer& writer() noexcept = 0;

    [[nodiscard]] virtual awaitable<outcome<>> start() = 0;

    /// Waits for the deliveries that this process has to make; answers how many are left undone.
    [[nodiscard]] virtual awaitable<outcome<std::int64_t>> settle() = 0;

    /// Not cancellable.
    [[nodiscard]] virtual awaitable<void> stop() = 0;
};

}  // namespace convene
