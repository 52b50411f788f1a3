// SPDX-License-Identifier: Apache-2.0
// Rooms, events, rows and batches for tests: what does not matter to a test has a plain default.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <string>
#include <string_view>

#include "store/operations/rooms.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// The organisation and the worker of everything that does not say otherwise.
[[nodiscard]] organization_id acme();
[[nodiscard]] incarnation_id worker_one();
[[nodiscard]] incarnation_id worker_two();

[[nodiscard]] room make_room(std::string id, organization_id organization = acme());
[[nodiscard]] binding make_binding(std::string room, std::string channel);
[[nodiscard]] participant make_participant(std::string room, std::string id);

/// An accepted message by `author`, without a place yet.
[[nodiscard]] room_event make_message(
    std::string id, std::string_view body = "hello", std::string author = "alice"
);

/// The same with the thread root it answers.
[[nodiscard]] room_event make_reply(std::string id, std::string root);

/// What a hook or a permission refused.
[[nodiscard]] room_event make_blocked(std::string id);

/// A pending row of `event` for a channel. Its id is made of event and channel.
[[nodiscard]] delivery_row make_row(
    const room_event& event, std::string channel, incarnation_id worker = worker_one()
);

[[nodiscard]] outbound_item make_outbound(const delivery_row& row);

/// Requests about a room of `acme()`; what is asked for is up to the test.
[[nodiscard]] ops::list_events list_of(std::string room);
[[nodiscard]] ops::update_room update_of(std::string room);

/// A batch decided on a room as it was read: events get the indexes that follow, one after the
/// other.
///
///     commit =
///     batch_on(room).add(make_message("a")).add(make_message("b")).deliver_to("sms").take();
class batch_on {
   public:
    explicit batch_on(const room& read);

    batch_on& add(room_event event);

    /// Adds a pending row for the last event.
    batch_on& deliver_to(std::string channel, incarnation_id worker = worker_one());

    /// For what the above do not cover.
    [[nodiscard]] ops::commit& commit() { return commit_; }

    [[nodiscard]] ops::commit take() { return std::move(commit_); }

   private:
    ops::commit commit_;
    event_index next_;
};

}  // namespace convene
