// SPDX-License-Identifier: Apache-2.0
// Reading dialogues.
#include "app/transcript/dialogue_format.hpp"

#include <boost/json/array.hpp>

#include <set>
#include <utility>

#include "app/transcript/line_fields.hpp"
#include "base/field_path.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

/// The names of services are checked, and kept as the room's metadata.
json_text parse_services(line_fields& dialogue) {
    const boost::json::array* const services = dialogue.array("services");
    if (services == nullptr) {
        return json_text{};
    }
    json_writer out;
    out.begin_object();
    out.key("services").begin_array();
    for (std::size_t i = 0; i < services->size(); ++i) {
        const std::string path = element_path(dialogue.path_of("services"), i);
        out.string(dialogue.take(read_text((*services)[i], path)));
    }
    out.end_array();
    out.end_object();
    return out.take();
}

transcript_event parse_turn(
    const boost::json::object& turn, const std::string& path, line_fields& around
) {
    line_fields fields{turn, "", path, {"speaker", "text"}};
    transcript_event event;
    event.speaker = fields.id("speaker");
    event.content = content::text(fields.text("text"));
    if (fields.fault()) {
        around.refuse(*fields.fault());
    }
    return event;
}

std::vector<transcript_event> parse_turns(line_fields& dialogue) {
    std::vector<transcript_event> events;
    const boost::json::array* const turns = dialogue.array("turns");
    if (turns == nullptr) {
        dialogue.refuse("turns", boundary_reason::missing_field);
        return events;
    }
    events.reserve(turns->size());
    for (std::size_t i = 0; i < turns->size() && !dialogue.fault(); ++i) {
        const std::string path = element_path(dialogue.path_of("turns"), i);
        const boost::json::object* const turn = (*turns)[i].if_object();
        if (turn == nullptr) {
            dialogue.refuse(boundary_error{path, boundary_reason::wrong_type});
            break;
        }
        events.push_back(parse_turn(*turn, path, dialogue));
        events.back().position = event_index{static_cast<std::int64_t>(i)};
    }
    return events;
}

/// In the data sets the assistant's turns are those of `system`.
participant_role role_of(std::string_view speaker) {
    return speaker == "system" ? participant_role::agent : participant_role::member;
}

std::vector<participant> speakers_of(const std::vector<transcript_event>& events) {
    std::set<std::string_view> names;
    for (const transcript_event& event : events) {
        names.insert(event.speaker);
    }
    std::vector<participant> speakers;
    for (const std::string_view name : names) {
        participant who;
        who.id = participant_id{std::string{name}};
        who.display_name = name;
        who.role = role_of(name);
        speakers.push_back(std::move(who));
    }
    return speakers;
}

}  // namespace

checked<transcript_line> parse_dialogue(const boost::json::object& line, std::string_view text) {
    line_fields fields{line, text, "", {"dialogue_id", "services", "turns"}};
    transcript dialogue;
    dialogue.room.name = fields.id("dialogue_id");
    dialogue.room.metadata = parse_services(fields);
    dialogue.events = parse_turns(fields);
    if (fields.fault()) {
        return *fields.fault();
    }
    dialogue.room.participants = speakers_of(dialogue.events);
    return dialogue;
}

}  // namespace convene
