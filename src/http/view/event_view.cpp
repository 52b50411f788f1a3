// SPDX-License-Identifier: Apache-2.0
// Showing events.
#include "http/view/event_view.hpp"

#include "http/view/delivery_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

schema make_source_schema() {
    return schema::object(
        "EventSource",
        {required("channel_id", schema::text(), "Empty: the system itself"),
         required("channel_type", schema::text()),
         required("participant_id", schema::text()),
         required("external_id", schema::text(), "The sender's id at the provider"),
         required("provider_message_id", schema::text())}
    );
}

schema make_event_schema() {
    return schema::object(
        "Event",
        {required("id", schema::id()),
         required("room_id", schema::id()),
         required("index", schema::integer({0}), "Its position in the room: 0, 1, 2, ..."),
         required("type", event_type_schema()),
         required("status", schema::word("EventStatus", {"accepted", "blocked"})),
         required("content", schema::content()),
         required("source", make_source_schema()),
         required("parent_event_id", schema::text(), "The thread's root; empty: none"),
         required("caused_by", schema::text(), "The trigger of an answer; empty: none"),
         required("correlation_id", schema::text()),
         required("chain_depth", schema::integer({0})),
         required("visibility", schema::text(), "`all`, `none`, `transport`, ..., or channel ids"),
         required(
             "addressed_to",
             schema::list(schema::text()).or_null(),
             "Channels; `null`: everybody; empty: nobody"
         ),
         required("is_edited", schema::boolean()),
         required("is_deleted", schema::boolean(), "Its content is a tombstone"),
         required("metadata", schema::any_object()),
         required("created_at", schema::time()),
         optional("response_visibility", schema::text(), "What answers to it get, if it says so"),
         optional("idempotency_key", schema::text(), "As it was sent, if with one"),
         optional("blocked_by", schema::text(), "Where `status` is `blocked`"),
         optional("block_reason", schema::text(), "A stable word")}
    );
}

schema make_answer_schema() {
    const schema result = schema::object(
        "DeliveryResult",
        {required("kind", target_kind_schema()),
         required("channel_id", schema::text()),
         required("state", delivery_state_schema()),
         required("attempts", schema::integer({0})),
         required("error_code", schema::text(), "A stable word; empty: none"),
         required("error_message", schema::text())}
    );
    return extended(
        event_schema(),
        "EventAnswer",
        {required("replayed", schema::boolean(), "The key was known: this is the first result"),
         required(
             "progress",
             schema::word("DeliveryProgress", {"committed", "delivered", "delivering", "staged"})
         ),
         required("delivery_results", schema::list(result))}
    );
}

void write_fields(json_writer& out, const room_event& shown) {
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("index").integer(shown.index.value());
    out.key("type").string(word_of(shown.type));
    out.key("status").string(word_of(shown.status));
    out.key("content").json(shown.content.json());
    out.key("source").begin_object();
    out.key("channel_id").string(shown.source.channel.str());
    out.key("channel_type").string(shown.source.channel_type);
    out.key("participant_id").string(shown.source.participant.str());
    out.key("external_id").string(shown.source.external_id);
    out.key("provider_message_id").string(shown.source.provider_message_id);
    out.end_object();
    out.key("parent_event_id").string(shown.parent.str());
    out.key("caused_by").string(shown.caused_by.str());
    out.key("correlation_id").string(shown.correlation_id);
    out.key("chain_depth").integer(shown.chain_depth);
    out.key("visibility").string(shown.visibility.text());
    out.key("addressed_to");
    if (shown.addressed_to) {
        out.begin_array();
        for (const channel_id& channel : *shown.addressed_to) {
            out.string(channel.str());
        }
        out.end_array();
    } else {
        out.null();
    }
    out.key("is_edited").boolean(shown.is_edited);
    out.key("is_deleted").boolean(shown.is_deleted);
    out.key("metadata").json(shown.metadata);
    write_time(out.key("created_at"), shown.created_at);
    if (shown.response_visibility) {
        out.key("response_visibility").string(shown.response_visibility->text());
    }
    if (!shown.idempotency_key.empty()) {
        out.key("idempotency_key").string(shown.idempotency_key);
    }
    if (shown.status == event_status::blocked) {
        out.key("blocked_by").string(shown.blocked_by);
        out.key("block_reason").string(shown.block_reason);
    }
}

}  // namespace

const schema& event_type_schema() {
    static const schema made = words_of("EventType", event_type::message);
    return made;
}

const schema& event_schema() {
    static const schema made = make_event_schema();
    return made;
}

const schema& event_answer_schema() {
    static const schema made = make_answer_schema();
    return made;
}

std::string_view word_of(delivery_progress progress) noexcept {
    switch (progress) {
        case delivery_progress::committed:
            return "committed";
        case delivery_progress::delivered:
            return "delivered";
        case delivery_progress::delivering:
            return "delivering";
        case delivery_progress::staged:
            return "staged";
    }
    return "";
}

void write_event(json_writer& out, const room_event& shown) {
    out.begin_object();
    write_fields(out, shown);
    out.end_object();
}

json_text event_as_json(const room_event& shown) {
    json_writer out;
    write_event(out, shown);
    return out.take();
}

json_text event_answer_as_json(const room_event& shown, const send_receipt& receipt) {
    json_writer out;
    out.begin_object();
    write_fields(out, shown);
    out.key("replayed").boolean(receipt.is_replay);
    out.key("progress").string(word_of(receipt.progress));
    out.key("delivery_results").begin_array();
    for (const target_result& target : receipt.targets) {
        out.begin_object();
        out.key("kind").string(word_of(target.kind));
        out.key("channel_id").string(target.channel.str());
        out.key("state").string(word_of(target.state));
        out.key("attempts").integer(target.attempts);
        out.key("error_code").string(target.outcome.error_code);
        out.key("error_message").string(target.outcome.error_message);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace convene
