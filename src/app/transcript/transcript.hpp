// SPDX-License-Identifier: Apache-2.0
// A transcript: a room as it was said, without what differs from database to database (ids, times, wiring).
#pragma once

#include "convene/event.hpp"
#include "convene/room.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace convene {

/// What is known of a room before its first event.
struct transcript_room {
    std::string name;  ///< the external id; the id of a room that has none
    room_status status = room_status::active;
    json_text metadata;
    std::vector<participant> participants;  ///< by id; without room, identity and time
};

/// One event. Other events are named by their positions, also inside of content, where the position stands as
/// text in place of an id.
struct transcript_event {
    /// Counts the events of the transcript from 0. It is the event's index, unless the room has blocked or
    /// deleted ones, which no transcript has.
    event_index position;
    std::string
        speaker;  ///< a participant, or the sender's id, or an agent's channel; empty: the system
    event_type type = event_type::message;
    convene::content content;
    std::optional<event_index> parent;
    convene::visibility visibility;
    std::optional<std::vector<channel_id>> addressed_to;
    std::optional<convene::visibility> response_visibility;
    std::string correlation_id;
    json_text metadata;
    bool is_edited = false;   ///< the content is that of the last edit
    bool is_deleted = false;  ///< soft-deleted: content and metadata do not leave the database

    friend bool operator==(const transcript_event&, const transcript_event&) = default;
};

/// A room with all its events: what a dialogue is.
struct transcript {
    transcript_room room;
    std::vector<transcript_event> events;
};

/// A line of its own for an event, with the room it belongs to.
struct transcript_entry {
    std::string room;
    transcript_event event;
};

/// The first line of an export.
struct transcript_heading {};

/// What one line of an import can be.
using transcript_line = std::
    variant<transcript_heading, transcript_room, transcript_entry, transcript>;

/// Whether two events are the same thing said. What was edited or deleted since it was written down still is.
[[nodiscard]] bool is_same_event(const transcript_event& a, const transcript_event& b);

/// Content of an edit or a deletion with `target` in place of the id of the event it changes.
[[nodiscard]] content with_target(const content& change, std::string_view target);

[[nodiscard]] inline bool is_change(const transcript_event& event) noexcept {
    return event.type == event_type::edit || event.type == event_type::remove;
}

}  // namespace convene
