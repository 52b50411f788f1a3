// SPDX-License-Identifier: Apache-2.0
// Reading events that are sent.
#include "http/sending.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "http/resource/bodies.hpp"
#include "http/room_access.hpp"
#include "http/view/event_view.hpp"
#include "room/edits.hpp"

namespace convene {

namespace {

event_type type_of(const content& what) {
    switch (what.type()) {
        case content_type::edit:
            return event_type::edit;
        case content_type::delete_:
            return event_type::remove;
        case content_type::system:
            return event_type::system;
        case content_type::tool_call:
            return what.tool_status() == tool_call_status::pending ? event_type::tool_call_start
                                                                   : event_type::tool_call_end;
        default:
            return event_type::message;
    }
}

bool is_own_channel(const principal& who, const room_context& around, const channel_id& channel) {
    if (channel == web_channel()) {
        return true;
    }
    const binding* const bound = around.find_binding(channel);
    return bound != nullptr && bound->participant.str() == who.user;
}

/// Imports say what an event was: a notice about a message that is gone is still a message. No word makes a
/// change of what is none, or the other way round.
or_problem<event_type> read_type(const read_object& body, const content& what) {
    const std::optional<std::string> word = body.text("type");
    if (!word) {
        return type_of(what);
    }
    const event_type type = event_type_from(*word).value_or(event_type::message);
    if (!fits_type(what, type)) {
        return validation_problem("type", boundary_reason::not_allowed_here);
    }
    return type;
}

/// A user's name may not be borrowed.
or_problem<> check_author(
    const principal& who, const room_context& around, const outgoing_event& sent
) {
    if (!who.is_user()) {
        return {};
    }
    if (sent.participant.str() != who.user) {
        return forbidden_problem("a user sends in its own name: leave out `participant_id`");
    }
    if (!is_own_channel(who, around, sent.channel)) {
        return forbidden_problem("this channel is not the user's own: leave out `channel_id`");
    }
    const bool is_said = is_message(sent.content.type()) || is_change(sent.type);
    if (!is_said || sent.type != type_of(sent.content)) {
        return forbidden_problem("notices and tool calls are sent with a token");
    }
    return {};
}

}  // namespace

const schema& new_event_schema() {
    static const schema made = schema::input(
        "NewEvent",
        {required("content", schema::content()),
         optional("type", event_type_schema(), "Left out: it follows from the content"),
         optional("channel_id", schema::id(), "Left out: a user's is `web`, a token's the system"),
         optional("participant_id", schema::id(), "Left out: the user"),
         optional("parent_event_id", schema::id(), "The event it answers"),
         optional("idempotency_key", schema::id(), "The same as the header `Idempotency-Key`"),
         optional("visibility", schema::text({1, 4096}), "Left out: `all`"),
         optional("response_visibility", schema::text({1, 4096}), "What answers to it get"),
         optional("addressed_to", schema::list(schema::id(), 100), "Left out: everybody"),
         optional("correlation_id", schema::id()),
         optional("metadata", schema::any_object())}
    );
    return made;
}

or_problem<outgoing_event> read_outgoing(
    const principal& who, const room_context& around, const read_object& body
) {
    outgoing_event sent;
    sent.organization = who.organization;
    sent.room = around.room.id;
    sent.content = body.content("content").value_or(content{});
    const or_problem<event_type> type = read_type(body, sent.content);
    if (!type) {
        return type.error();
    }
    sent.type = *type;
    sent.channel = channel_id{
        body.text("channel_id")
            .value_or(who.is_user() ? channel_of(who, around).str() : std::string{})
    };
    sent.participant = participant_id{body.text("participant_id").value_or(who.user)};
    sent.parent = event_id{body.text("parent_event_id").value_or("")};
    sent.idempotency_key = body.text("idempotency_key").value_or("");
    sent.correlation_id = body.text("correlation_id").value_or("");
    sent.metadata = body.json("metadata").value_or(json_text{});
    if (const auto text = body.text("visibility")) {
        or_problem<visibility> seen = read_visibility(*text, "visibility");
        if (!seen) {
            return seen.error();
        }
        sent.visible_to = *std::move(seen);
    }
    if (const auto text = body.text("response_visibility")) {
        or_problem<visibility> seen = read_visibility(*text, "response_visibility");
        if (!seen) {
            return seen.error();
        }
        sent.response_visibility = *std::move(seen);
    }
    if (body.has("addressed_to")) {
        sent.addressed_to.emplace();
        for (std::string& channel : body.texts("addressed_to")) {
            sent.addressed_to->emplace_back(std::move(channel));
        }
    }
    const or_problem<> author = check_author(who, around, sent);
    if (!author) {
        return author.error();
    }
    return sent;
}

outgoing_event change_by(
    const principal& who, const room_context& around, const room_event& target
) {
    outgoing_event change;
    change.organization = who.organization;
    change.room = around.room.id;
    const bool is_own = who.is_user() &&
                        (target.source.participant.str() == who.user || is_room_owner(who, around));
    if (is_own || !who.sees_every_room()) {
        change.channel = channel_of(who, around);
        change.participant = participant_id{who.user};
        return change;
    }
    json_writer out;
    out.begin_object();
    out.key(who.is_user() ? "acting_user" : "acting_token")
        .string(who.is_user() ? who.user : who.token);
    out.end_object();
    change.metadata = out.take();
    return change;
}

}  // namespace convene
