// SPDX-License-Identifier: Apache-2.0
// Showing rooms.
#include "http/view/room_view.hpp"

#include "base/canonical_json.hpp"
#include "http/view/binding_view.hpp"
#include "http/view/participant_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

schema make_room_schema() {
    return schema::object(
        "Room",
        {required("id", schema::id()),
         required("external_id", schema::text(), "The caller's own id; empty: none"),
         required("status", room_status_schema()),
         required("name", schema::text(), "`metadata.name`; empty: none"),
         required("metadata", schema::any_object()),
         required(
             "responses",
             schema::word("AgentResponsePolicy", {"agent_chain", "addressed_only"}),
             "Which agents answer an event that addresses nobody"
         ),
         required("timers", room_timers_schema()),
         required("timeline_epoch", schema::integer({0}), "Raised when a repair moved indexes"),
         required("event_count", schema::integer({0}), "A tally that never goes down"),
         required("latest_index", schema::integer({-1}), "-1: no event yet"),
         required("delivered_index", schema::integer({-1})),
         required("created_at", schema::time()),
         required("updated_at", schema::time()),
         required("last_activity_at", schema::time()),
         required("paused_at", schema::time().or_null()),
         required("closed_at", schema::time().or_null())}
    );
}

void write_seconds(
    json_writer& out, std::string_view key, const std::optional<std::chrono::seconds>& value
) {
    out.key(key);
    if (value) {
        out.integer(value->count());
    } else {
        out.null();
    }
}

void write_fields(json_writer& out, const room& shown) {
    out.key("id").string(shown.id.str());
    out.key("external_id").string(shown.external_id);
    out.key("status").string(word_of(shown.status));
    out.key("name").string(display_name_of(shown));
    out.key("metadata").json(shown.metadata);
    out.key("responses")
        .string(
            shown.responses == agent_response_policy::agent_chain ? "agent_chain" : "addressed_only"
        );
    out.key("timers").begin_object();
    write_seconds(out, "inactive_after_seconds", shown.timers.inactive_after);
    write_seconds(out, "closed_after_seconds", shown.timers.closed_after);
    out.end_object();
    out.key("timeline_epoch").integer(shown.timeline_epoch);
    out.key("event_count").integer(shown.event_count);
    out.key("latest_index").integer(shown.latest_index.value());
    out.key("delivered_index").integer(shown.delivered_index.value());
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
    write_time(out.key("last_activity_at"), shown.last_activity_at);
    write_time(out.key("paused_at"), shown.paused_at);
    write_time(out.key("closed_at"), shown.closed_at);
}

}  // namespace

const schema& room_status_schema() {
    static const schema made = words_of("RoomStatus", room_status::active);
    return made;
}

const schema& room_timers_schema() {
    static const schema seconds = schema::integer({1, 3'153'600'000}).or_null();
    static const schema made = schema::object(
        "RoomTimers",
        {optional(
             "inactive_after_seconds", seconds, "A room so long idle is paused; `null`: never"
         ),
         optional("closed_after_seconds", seconds, "One so long paused is closed; `null`: never")}
    );
    return made;
}

const schema& room_schema() {
    static const schema made = make_room_schema();
    return made;
}

const schema& room_detail_schema() {
    static const schema made = extended(
        room_schema(),
        "RoomDetail",
        {required("channels", schema::list(binding_schema())),
         required("participants", schema::list(participant_schema()))}
    );
    return made;
}

std::string display_name_of(const room& shown) {
    return find_text(shown.metadata.str(), "name").value_or("");
}

void write_room(json_writer& out, const room& shown) {
    out.begin_object();
    write_fields(out, shown);
    out.end_object();
}

void write_room_detail(json_writer& out, const room_context& shown) {
    out.begin_object();
    write_fields(out, shown.room);
    out.key("channels").begin_array();
    for (const binding& bound : shown.bindings) {
        write_binding(out, bound);
    }
    out.end_array();
    out.key("participants").begin_array();
    for (const participant& one : shown.participants) {
        write_participant(out, one);
    }
    out.end_array();
    out.end_object();
}

json_text room_as_json(const room& shown) {
    json_writer out;
    write_room(out, shown);
    return out.take();
}

}  // namespace convene
