// SPDX-License-Identifier: Apache-2.0
// Reads a stored room as a transcript, a page at a time.
#pragma once

#include "convene/awaitable.hpp"

#include <optional>
#include <vector>

#include "app/conversations.hpp"
#include "app/transcript/transcript.hpp"

namespace convene {

/// Walks through a room's timeline.
///
/// Blocked events, and changes of events that are gone for good, are left out; the others get positions without
/// gaps. Memory is bounded by the page and by the number of events left out.
/// *Thread safety*: loop only. *Lifetime*: the reader of the room outlives it.
class transcript_reader {
   public:
    transcript_reader(conversation_reader* reader, room_context context);

    [[nodiscard]] transcript_room heading() const;

    /// The next events; none at the end, where more may be added later.
    [[nodiscard]] awaitable<outcome<std::vector<transcript_event>>> next_page();

    /// The event at a position before those that the next page begins with.
    [[nodiscard]] awaitable<outcome<room_event>> event_at(event_index position);

   private:
    /// Where the events are that those of a page refer to.
    [[nodiscard]] awaitable<outcome<index_map>> load_references(const std::vector<room_event>* page
    );
    [[nodiscard]] std::optional<transcript_event> convert(
        const room_event& event, const index_map& known
    ) const;
    [[nodiscard]] std::optional<content> content_of(const room_event& event, const index_map& known)
        const;
    void leave_out(event_index from, event_index to);
    [[nodiscard]] event_index position_of(event_index index) const;
    [[nodiscard]] event_index index_of(event_index position) const;

    // fixed after construction
    conversation_reader& reader_;
    const room_context context_;

    // touched on the loop only
    event_index last_;                   ///< index of the last event that was read
    std::vector<event_index> left_out_;  ///< indexes without a position, ascending
};

}  // namespace convene
