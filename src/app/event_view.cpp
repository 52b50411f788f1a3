// SPDX-License-Identifier: Apache-2.0
// Showing events.
#include "app/event_view.hpp"

#include <fmt/format.h>

#include "app/printable.hpp"

namespace convene {

namespace {

/// Continuation lines stand below the text, not below the numbers.
constexpr std::string_view below_text = "                             ";

/// What is said, in brackets what is not plainly said.
std::string what_happened(const room_event& event) {
    switch (event.type) {
        case event_type::message:
            return readable_text(event.content);
        case event_type::edit:
            return "(edited a message) " + readable_text(event.content);
        case event_type::remove:
            return "(deleted a message)";
        default:
            return fmt::format("({}) {}", word_of(event.type), readable_text(event.content));
    }
}

std::string marks_of(const room_event& event) {
    std::string marks;
    if (!event.parent.empty()) {
        marks += "(reply) ";
    }
    if (event.is_edited && !event.is_deleted) {
        marks += "(edited) ";
    }
    if (event.status == event_status::blocked) {
        marks += fmt::format("(blocked by {}: {}) ", event.blocked_by, event.block_reason);
    }
    return marks;
}

}  // namespace

std::string speaker_for_people(const event_source& source) {
    for (const std::string* name :
         {&source.participant.str(), &source.external_id, &source.channel.str()}) {
        if (!name->empty()) {
            return printable_name(*name);
        }
    }
    return "system";
}

std::string time_for_people(wall_time when) {
    std::string text = format_rfc3339(when).substr(0, 19);
    text[10] = ' ';
    return text;
}

std::string event_for_people(const room_event& event, const output_stream& shown_on) {
    const bool is_blocked = event.status == event_status::blocked;
    return fmt::format(
        "{}  {}: {}",
        shown_on.styled(
            text_style::dim,
            fmt::format("{:>6}  {}", event.index.value(), time_for_people(event.created_at))
        ),
        shown_on.styled(text_style::bold, speaker_for_people(event.source)),
        shown_on.styled(
            is_blocked ? text_style::warning : text_style::plain,
            printable_name(marks_of(event)) + printable(what_happened(event), below_text)
        )
    );
}

}  // namespace convene
