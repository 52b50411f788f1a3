// SPDX-License-Identifier: Apache-2.0
// Transcript lines: writing them, and reading them field by field.
#include "app/transcript/transcript_format.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <utility>

#include "app/transcript/dialogue_format.hpp"
#include "app/transcript/line_fields.hpp"
#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr std::int64_t format_version = 1;

/// A line holds a document of the usual size and what is around it, or a whole dialogue.
constexpr boundary_limits line_limits{
    .max_json_bytes = max_transcript_line_bytes,
    .max_json_depth = boundary_limits{}.max_json_depth + 4,
    .max_json_values = 10 * boundary_limits{}.max_json_values,
};

// -- writing ---------------------------------------------------------------------------------------

void write_if(json_writer& out, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        out.key(key).string(text);
    }
}

void write_if(json_writer& out, std::string_view key, const json_text& object) {
    if (object != json_text{}) {
        out.key(key).json(object);
    }
}

void write_if(json_writer& out, std::string_view key, bool flag) {
    if (flag) {
        out.key(key).boolean(true);
    }
}

void write_participant(json_writer& out, const participant& who) {
    out.begin_object();
    out.key("id").string(who.id.str());
    write_if(out, "display_name", who.display_name);
    out.key("role").string(word_of(who.role));
    if (who.status != participant_status::active) {
        out.key("status").string(word_of(who.status));
    }
    write_if(out, "external_id", who.external_id);
    write_if(out, "metadata", who.metadata);
    out.end_object();
}

void write_addressees(json_writer& out, const transcript_event& event) {
    if (!event.addressed_to) {
        return;
    }
    out.key("addressed_to").begin_array();
    for (const channel_id& channel : *event.addressed_to) {
        out.string(channel.str());
    }
    out.end_array();
}

void write_visibility(json_writer& out, const transcript_event& event) {
    if (event.visibility != visibility{}) {
        out.key("visibility").string(event.visibility.text());
    }
    if (event.response_visibility) {
        out.key("response_visibility").string(event.response_visibility->text());
    }
}

// -- reading ---------------------------------------------------------------------------------------

/// An object with its canonical spelling and the place it has in the line.
struct spelled_object {
    const boost::json::object* value;
    std::string_view text;
    std::string path;
};

participant parse_participant(const spelled_object& given, line_fields& around) {
    line_fields fields{
        *given.value,
        given.text,
        given.path,
        {"id", "display_name", "role", "status", "external_id", "metadata"}
    };
    participant who;
    who.id = participant_id{fields.id("id")};
    who.display_name = fields.optional_text("display_name");
    who.role = fields.word("role", participant_role_from, participant_role::member);
    who.status = fields.word("status", participant_status_from, participant_status::active);
    who.external_id = fields.optional_id("external_id");
    who.metadata = fields.object("metadata");
    if (fields.fault()) {
        around.refuse(*fields.fault());
    }
    return who;
}

std::vector<participant> parse_participants(line_fields& room) {
    std::vector<participant> all;
    const boost::json::array* const listed = room.array("participants");
    if (listed == nullptr) {
        return all;
    }
    const auto texts = elements_of(*room.spelled("participants"));
    for (std::size_t i = 0; i < listed->size(); ++i) {
        std::string path = element_path(room.path_of("participants"), i);
        const boost::json::object* const one = (*listed)[i].if_object();
        if (one == nullptr) {
            room.refuse(boundary_error{std::move(path), boundary_reason::wrong_type});
            break;
        }
        all.push_back(parse_participant({one, texts[i], std::move(path)}, room));
    }
    return all;
}

checked<transcript_line> parse_room(const spelled_object& line) {
    line_fields fields{
        *line.value, line.text, line.path, {"record", "room", "status", "metadata", "participants"}
    };
    transcript_room room;
    room.name = fields.id("room");
    room.status = fields.word("status", room_status_from, room_status::active);
    room.metadata = fields.object("metadata");
    room.participants = parse_participants(fields);
    if (fields.fault()) {
        return *fields.fault();
    }
    return room;
}

std::optional<visibility> parse_visibility(line_fields& event, std::string_view name) {
    const std::string text = event.optional_text(name);
    if (text.empty()) {
        return std::nullopt;
    }
    const result<visibility> parsed = visibility::parse(text);
    if (!parsed) {
        event.refuse(name, boundary_reason::malformed);
        return std::nullopt;
    }
    return *parsed;
}

std::optional<std::vector<channel_id>> parse_addressees(line_fields& event) {
    const boost::json::array* const listed = event.array("addressed_to");
    if (listed == nullptr) {
        return std::nullopt;
    }
    std::vector<channel_id> all;
    for (std::size_t i = 0; i < listed->size(); ++i) {
        const std::string path = element_path(event.path_of("addressed_to"), i);
        all.emplace_back(std::string{event.take(read_id((*listed)[i], path))});
    }
    return all;
}

/// Content stands in a line as it stands anywhere else.
content parse_content_of(line_fields& event) {
    const std::optional<std::string_view> text = event.spelled("content");
    if (!text) {
        event.refuse("content", boundary_reason::missing_field);
        return {};
    }
    return event.take(parse_content(*text, event.path_of("content")));
}

/// An earlier event of the room.
std::optional<event_index> parse_position(line_fields& event, std::string_view name) {
    const std::optional<std::int64_t> position = event.index(name);
    return position ? std::optional{event_index{*position}} : std::nullopt;
}

checked<transcript_line> parse_event(const spelled_object& line) {
    line_fields fields{
        *line.value,
        line.text,
        line.path,
        {"record",
         "room",
         "n",
         "speaker",
         "type",
         "content",
         "parent",
         "visibility",
         "addressed_to",
         "response_visibility",
         "correlation_id",
         "metadata",
         "edited",
         "deleted"}
    };
    transcript_entry entry;
    entry.room = fields.id("room");
    transcript_event& event = entry.event;
    const std::optional<event_index> position = parse_position(fields, "n");
    if (!position) {
        fields.refuse("n", boundary_reason::missing_field);
    }
    event.position = position.value_or(event_index{});
    event.speaker = fields.optional_id("speaker");
    event.type = fields.word("type", event_type_from, event_type::message);
    event.content = parse_content_of(fields);
    event.parent = parse_position(fields, "parent");
    event.visibility = parse_visibility(fields, "visibility").value_or(visibility{});
    event.addressed_to = parse_addressees(fields);
    event.response_visibility = parse_visibility(fields, "response_visibility");
    event.correlation_id = fields.optional_id("correlation_id");
    event.metadata = fields.object("metadata");
    event.is_edited = fields.flag("edited");
    event.is_deleted = fields.flag("deleted");
    if (fields.fault()) {
        return *fields.fault();
    }
    return entry;
}

checked<transcript_line> parse_heading(const spelled_object& line) {
    line_fields fields{*line.value, line.text, line.path, {"record", "version"}};
    const std::optional<std::int64_t> version = fields.index("version");
    if (version != format_version) {
        fields.refuse("version", boundary_reason::unknown_value);
    }
    if (fields.fault()) {
        return *fields.fault();
    }
    return transcript_heading{};
}

}  // namespace

std::string heading_line() {
    json_writer out;
    out.begin_object();
    out.key("record").string("transcript");
    out.key("version").integer(format_version);
    out.end_object();
    return out.take().str();
}

std::string line_of(const transcript_room& room) {
    json_writer out;
    out.begin_object();
    out.key("record").string("room");
    out.key("room").string(room.name);
    if (room.status != room_status::active) {
        out.key("status").string(word_of(room.status));
    }
    write_if(out, "metadata", room.metadata);
    if (!room.participants.empty()) {
        out.key("participants").begin_array();
        for (const participant& who : room.participants) {
            write_participant(out, who);
        }
        out.end_array();
    }
    out.end_object();
    return out.take().str();
}

std::string line_of(const transcript_entry& entry) {
    const transcript_event& event = entry.event;
    json_writer out;
    out.begin_object();
    out.key("record").string("event");
    out.key("room").string(entry.room);
    out.key("n").integer(event.position.value());
    write_if(out, "speaker", event.speaker);
    if (event.type != event_type::message) {
        out.key("type").string(word_of(event.type));
    }
    out.key("content").json(event.content.json());
    if (event.parent) {
        out.key("parent").integer(event.parent->value());
    }
    write_visibility(out, event);
    write_addressees(out, event);
    write_if(out, "correlation_id", event.correlation_id);
    write_if(out, "metadata", event.metadata);
    write_if(out, "edited", event.is_edited);
    write_if(out, "deleted", event.is_deleted);
    out.end_object();
    return out.take().str();
}

checked<transcript_line> parse_transcript_line(std::string_view line) {
    const checked<json_document> document = json_document::parse(line, "", line_limits);
    if (!document) {
        return document.error();
    }
    const boost::json::object* const object = document->root().if_object();
    if (object == nullptr) {
        return boundary_error{"", boundary_reason::wrong_type};
    }
    const spelled_object whole{object, document->text().str(), ""};
    if (!object->contains("record")) {
        return parse_dialogue(*object, whole.text);
    }
    const checked<std::string_view> record = object_reader{*object, ""}.text("record");
    if (!record) {
        return record.error();
    }
    if (*record == "event") {
        return parse_event(whole);
    }
    if (*record == "room") {
        return parse_room(whole);
    }
    if (*record == "transcript") {
        return parse_heading(whole);
    }
    return boundary_error{"record", boundary_reason::unknown_value};
}

}  // namespace convene
