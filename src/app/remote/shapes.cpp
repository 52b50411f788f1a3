// SPDX-License-Identifier: Apache-2.0
// Shapes: field by field, both ways.
#include "app/remote/shapes.hpp"

#include <utility>

#include "app/deleted_text.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

boundary_error malformed(std::string field) {
    return {std::move(field), boundary_reason::malformed};
}

visibility visibility_from(answer_fields& fields, std::string_view name, const std::string& text) {
    const result<visibility> parsed = visibility::parse(text);
    if (!parsed) {
        fields.refuse(name);
        return {};
    }
    return *parsed;
}

room room_from(answer_fields& fields) {
    room read;
    read.id = room_id{fields.text("id")};
    read.external_id = fields.text("external_id");
    read.status = fields.word("status", room_status_from);
    read.metadata = fields.object("metadata");
    read.timeline_epoch = fields.integer("timeline_epoch");
    read.event_count = fields.integer("event_count");
    read.latest_index = event_index{fields.integer("latest_index")};
    read.delivered_index = event_index{fields.integer("delivered_index")};
    read.created_at = fields.time("created_at");
    read.last_activity_at = fields.time("last_activity_at");
    return read;
}

binding binding_from(answer_fields& fields) {
    binding read;
    read.channel = channel_id{fields.text("channel_id")};
    read.visibility = visibility_from(fields, "visibility", fields.text("visibility"));
    return read;
}

participant participant_from(answer_fields& fields) {
    participant read;
    read.id = participant_id{fields.text("id")};
    read.display_name = fields.text("display_name");
    read.role = fields.word("role", participant_role_from);
    read.status = fields.word("status", participant_status_from);
    read.external_id = fields.text("external_id");
    read.metadata = fields.object("metadata");
    return read;
}

/// Reads the objects of a list; a fault in one is a fault of the list.
template <class Value>
std::vector<Value> list_from(
    answer_fields& around, std::string_view name, Value (*read)(answer_fields& fields)
) {
    std::vector<Value> all;
    for (const std::string_view element : around.list(name)) {
        answer_fields fields{element};
        all.push_back(read(fields));
        if (fields.fault()) {
            around.refuse(std::string{name} + "." + *fields.fault());
            break;
        }
    }
    return all;
}

event_source source_from(answer_fields& around) {
    const json_text object = around.object("source");
    answer_fields fields{object.str()};
    event_source read;
    read.channel = channel_id{fields.text("channel_id")};
    read.channel_type = fields.text("channel_type");
    read.participant = participant_id{fields.text("participant_id")};
    read.external_id = fields.text("external_id");
    read.provider_message_id = fields.text("provider_message_id");
    if (fields.fault()) {
        around.refuse("source." + *fields.fault());
    }
    return read;
}

event_status status_from(answer_fields& fields) {
    const std::string word = fields.text("status");
    for (const event_status known : {event_status::accepted, event_status::blocked}) {
        if (word == word_of(known)) {
            return known;
        }
    }
    fields.refuse("status");
    return event_status::accepted;
}

content content_from(answer_fields& fields) {
    const result<content> read = content::from_store(fields.object("content").str());
    if (!read) {
        fields.refuse("content");
        return {};
    }
    return *read;
}

/// The tombstone of an edit says which message it changed, and nothing of what it said.
void restore_edit(room_event& event) {
    const bool is_tombstone = event.type == event_type::edit && event.is_deleted;
    const auto data = find_member(event.content.json().str(), "data");
    const auto target = is_tombstone && data ? find_text(*data, "target_event_id") : std::nullopt;
    if (target) {
        event.content = content::edit(event_id{*target}, content::text(deleted_text));
        event.is_deleted = false;
    }
}

room_event event_from(answer_fields& fields) {
    room_event read;
    read.id = event_id{fields.text("id")};
    read.room = room_id{fields.text("room_id")};
    read.index = event_index{fields.integer("index")};
    read.type = fields.word("type", event_type_from);
    read.status = status_from(fields);
    read.content = content_from(fields);
    read.source = source_from(fields);
    read.parent = event_id{fields.text("parent_event_id")};
    read.caused_by = event_id{fields.text("caused_by")};
    read.correlation_id = fields.text("correlation_id");
    read.chain_depth = static_cast<std::int32_t>(fields.integer("chain_depth"));
    read.visibility = visibility_from(fields, "visibility", fields.text("visibility"));
    if (const auto channels = fields.optional_list("addressed_to")) {
        read.addressed_to.emplace();
        for (const std::string_view channel : *channels) {
            read.addressed_to->emplace_back(decode_string(channel).value_or(""));
        }
    }
    if (const auto text = fields.optional_text("response_visibility")) {
        read.response_visibility = visibility_from(fields, "response_visibility", *text);
    }
    read.is_edited = fields.flag("is_edited");
    read.is_deleted = fields.flag("is_deleted");
    read.metadata = fields.object("metadata");
    read.created_at = fields.time("created_at");
    read.idempotency_key = fields.optional_text("idempotency_key").value_or("");
    read.blocked_by = fields.optional_text("blocked_by").value_or("");
    read.block_reason = fields.optional_text("block_reason").value_or("");
    restore_edit(read);
    return read;
}

delivery_progress progress_from(answer_fields& fields) {
    const std::string word = fields.text("progress");
    if (word == "delivered") {
        return delivery_progress::delivered;
    }
    return word == "delivering" ? delivery_progress::delivering : delivery_progress::committed;
}

target_result target_from(answer_fields& fields) {
    target_result read;
    read.kind = fields.word("kind", target_kind_from);
    read.channel = channel_id{fields.text("channel_id")};
    read.state = fields.word("state", delivery_state_from);
    read.attempts = static_cast<std::int32_t>(fields.integer("attempts"));
    read.outcome.error_code = fields.text("error_code");
    read.outcome.error_message = fields.text("error_message");
    return read;
}

template <class Value>
checked<Value> whole_or_fault(Value value, const answer_fields& fields) {
    if (fields.fault()) {
        return malformed(*fields.fault());
    }
    return value;
}

// -- what is sent ----------------------------------------------------------------------------------

void write_if(json_writer& out, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        out.key(key).string(text);
    }
}

void write_participant(json_writer& out, const participant& who) {
    out.begin_object();
    out.key("id").string(who.id.str());
    out.key("display_name").string(who.display_name);
    out.key("role").string(word_of(who.role));
    out.key("status").string(word_of(who.status));
    write_if(out, "external_id", who.external_id);
    out.key("metadata").json(who.metadata);
    out.end_object();
}

}  // namespace

checked<room> read_room(std::string_view object) {
    answer_fields fields{object};
    room read = room_from(fields);
    return whole_or_fault(std::move(read), fields);
}

checked<room_context> read_room_context(std::string_view object) {
    answer_fields fields{object};
    room_context read;
    read.room = room_from(fields);
    read.bindings = list_from(fields, "channels", binding_from);
    read.participants = list_from(fields, "participants", participant_from);
    return whole_or_fault(std::move(read), fields);
}

checked<room_page> read_room_page(std::string_view object) {
    answer_fields fields{object};
    room_page read;
    read.rooms = list_from(fields, "rooms", room_from);
    read.next = fields.optional_text("next_cursor").value_or("");
    return whole_or_fault(std::move(read), fields);
}

checked<room_event> read_event(std::string_view object) {
    answer_fields fields{object};
    room_event read = event_from(fields);
    return whole_or_fault(std::move(read), fields);
}

checked<event_page> read_event_page(std::string_view object) {
    answer_fields fields{object};
    event_page read;
    read.events = list_from(fields, "events", event_from);
    if (const auto next = fields.optional_integer("next_index")) {
        read.next_after = event_index{*next};
    }
    return whole_or_fault(std::move(read), fields);
}

checked<send_receipt> read_receipt(std::string_view object) {
    answer_fields fields{object};
    send_receipt read;
    read.event = event_from(fields);
    read.is_replay = fields.flag("replayed");
    read.progress = progress_from(fields);
    read.targets = list_from(fields, "delivery_results", target_from);
    return whole_or_fault(std::move(read), fields);
}

json_text body_of(const outgoing_event& sent) {
    json_writer out;
    out.begin_object();
    out.key("content").json(sent.content.json());
    out.key("type").string(word_of(sent.type));
    write_if(out, "participant_id", sent.participant.str());
    write_if(out, "parent_event_id", sent.parent.str());
    write_if(out, "idempotency_key", sent.idempotency_key);
    write_if(out, "correlation_id", sent.correlation_id);
    if (sent.visible_to) {
        out.key("visibility").string(sent.visible_to->text());
    }
    if (sent.response_visibility) {
        out.key("response_visibility").string(sent.response_visibility->text());
    }
    if (sent.addressed_to) {
        out.key("addressed_to").begin_array();
        for (const channel_id& channel : *sent.addressed_to) {
            out.string(channel.str());
        }
        out.end_array();
    }
    out.key("metadata").json(sent.metadata);
    out.end_object();
    return out.take();
}

json_text body_of(const room& wanted, const std::vector<participant>& participants) {
    json_writer out;
    out.begin_object();
    out.key("external_id").string(wanted.external_id);
    out.key("metadata").json(wanted.metadata);
    out.key("participants").begin_array();
    for (const participant& who : participants) {
        write_participant(out, who);
    }
    out.end_array();
    out.end_object();
    return out.take();
}

json_text body_of(const participant& joining) {
    json_writer out;
    write_participant(out, joining);
    return out.take();
}

}  // namespace convene
