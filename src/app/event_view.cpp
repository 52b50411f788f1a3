// SPDX-License-Identifier: Apache-2.0
// Showing events.
#include "app/event_view.hpp"

#include <fmt/format.h>

#include "app/printable.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

/// Continuation lines stand below the text, not below the numbers.
constexpr std::string_view below_text = "                             ";

void write_if(json_writer& out, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        out.key(key).string(text);
    }
}

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

json_text event_for_programs(const room_event& event) {
    json_writer out;
    out.begin_object();
    out.key("index").integer(event.index.value());
    out.key("id").string(event.id.str());
    out.key("room_id").string(event.room.str());
    out.key("type").string(word_of(event.type));
    out.key("status").string(word_of(event.status));
    write_if(out, "participant_id", event.source.participant.str());
    write_if(out, "external_id", event.source.external_id);
    write_if(out, "channel_id", event.source.channel.str());
    out.key("content").json(event.content.json());
    out.key("visibility").string(event.visibility.text());
    write_if(out, "parent_event_id", event.parent.str());
    write_if(out, "caused_by", event.caused_by.str());
    write_if(out, "correlation_id", event.correlation_id);
    write_if(out, "idempotency_key", event.idempotency_key);
    write_if(out, "blocked_by", event.blocked_by);
    write_if(out, "block_reason", event.block_reason);
    out.key("is_edited").boolean(event.is_edited);
    out.key("is_deleted").boolean(event.is_deleted);
    out.key("metadata").json(event.metadata);
    out.key("created_at").string(format_rfc3339(event.created_at));
    out.end_object();
    return out.take();
}

}  // namespace convene
