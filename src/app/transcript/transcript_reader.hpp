// SPDX-License-Identifier: Apache-2.0
// Reads a stored room as a transcript, a page at a time.
#pragma once

#include "convene/awaitable.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/transcript/transcript.hpp"
#include "store/store.hpp"

namespace convene {

/// Walks through a room's timeline.
///
/// Blocked events, and changes of events that are gone for good, are left out; the others get positions without
/// gaps. Memory is bounded by the page and by the number of events left out.
/// *Thread safety*: loop only. *Lifetime*: the store outlives it.
class transcript_reader {
   public:
    transcript_reader(conversation_store* store, room_context context);

    [[nodiscard]] transcript_room heading() const;

    /// The next events; none at the end, where more may be added later. *Errors*: those of the store.
    [[nodiscard]] awaitable<result<std::vector<transcript_event>>> next_page();

    /// The event at a position before those that the next page begins with.
    /// *Errors*: `target_event_not_found`.
    [[nodiscard]] awaitable<result<room_event>> event_at(event_index position);

   private:
    /// What the events of a page refer to.
    using references = std::unordered_map<std::string, room_event>;

    [[nodiscard]] awaitable<result<references>> load_references(const std::vector<room_event>* page
    );
    [[nodiscard]] std::optional<transcript_event> convert(
        const room_event& event, const references& known
    ) const;
    [[nodiscard]] std::optional<content> content_of(
        const room_event& event, const references& known
    ) const;
    void leave_out(event_index from, event_index to);
    [[nodiscard]] event_index position_of(event_index index) const;
    [[nodiscard]] event_index index_of(event_index position) const;

    // fixed after construction
    conversation_store& store_;
    const room_context context_;

    // touched on the loop only
    event_index last_;                   ///< index of the last event that was read
    std::vector<event_index> left_out_;  ///< indexes without a position, ascending
};

}  // namespace convene
