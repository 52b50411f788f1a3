// SPDX-License-Identifier: Apache-2.0
// Events over HTTP: send, read, edit, delete, and their deliveries.
#include <algorithm>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "http/attachment_access.hpp"
#include "http/cause.hpp"
#include "http/resource/resources.hpp"
#include "http/room_access.hpp"
#include "http/sending.hpp"
#include "http/timeline.hpp"
#include "http/view/delivery_view.hpp"
#include "http/view/event_view.hpp"
#include "room/edits.hpp"
#include "store/operations/channels.hpp"

namespace convene {

namespace {

schema event_list_schema() {
    return schema::object(
        "EventList",
        {required("events", schema::list(event_schema()), "By index, ascending"),
         required("latest_index", schema::integer({-1}), "Of the room"),
         required("timeline_epoch", schema::integer({0})),
         required(
             "next_index",
             schema::integer({0}).or_null(),
             "What to send as `after_index` (or `before_index`, reading backwards) for the next "
             "page; `null` at the end"
         )}
    );
}

schema delivery_list_schema() {
    return schema::object(
        "DeliveryList", {required("deliveries", schema::list(delivery_schema()))}
    );
}

schema deletion_schema() {
    return schema::object(
        "Deletion", {required("deleted", schema::list(schema::id()), "The event, then its replies")}
    );
}

schema edit_schema() {
    return schema::input("EventPatch", {required("content", schema::content(), "The new content")});
}

/// An event answer, or of a staged event what is known of it so far.
const schema& accepted_schema() {
    static const schema made = [] {
        schema accepted = event_answer_schema();
        accepted.name = "AcceptedEvent";
        for (schema_field& field : accepted.fields) {
            const bool is_known = field.name == "id" || field.name == "room_id" ||
                                  field.name == "progress";
            field.need = is_known ? presence::required : presence::optional;
        }
        return accepted;
    }();
    return made;
}

/// It has no index yet, nor anything else that its commit gives it.
json_text staged_as_json(const send_receipt& receipt) {
    json_writer out;
    out.begin_object();
    out.key("id").string(receipt.event.id.str());
    out.key("room_id").string(receipt.event.room.str());
    out.key("progress").string(word_of(receipt.progress));
    out.end_object();
    return out.take();
}

handled answer_of_send(const send_receipt& receipt) {
    if (receipt.progress == delivery_progress::staged) {
        return json_answer(202, staged_as_json(receipt));
    }
    const int status = receipt.is_replay                                   ? 200
                       : receipt.progress == delivery_progress::delivering ? 202
                                                                           : 201;
    return json_answer(status, event_answer_as_json(shown_event(receipt.event), receipt));
}

wait_for wait_of(const route_call& call) {
    return call.text("wait") == "committed" ? wait_for::committed : wait_for::delivered;
}

parameter wait_parameter() {
    return query_parameter(
        "wait",
        schema::word("", {"delivered", "committed"}),
        "`committed` answers before its deliveries have run",
        "delivered"
    );
}

/// A room that is configured anew while somebody sends is looked at again, so often.
constexpr int looks_at_room = 3;

awaitable<handled> send(resource_parts parts, route_call call, outgoing_event sent) {
    sent.trace_parent = call.trace_parent;
    const wait_for until = wait_of(call);
    const auto receipt = co_await parts.kit->send_event(std::move(sent), until);
    if (!receipt) {
        co_return problem_of(receipt.error());
    }
    co_return answer_of_send(*receipt);
}

/// What a call asks to send, as far as its sender may in the room as it is known.
awaitable<or_problem<outgoing_event>> prepare(
    resource_parts parts, std::shared_ptr<const route_call> call
) {
    or_problem<outgoing_event> read = read_outgoing(call->who, *call->room, *call->body);
    if (!read) {
        co_return read.error();
    }
    outgoing_event sent = *std::move(read);
    sent.trace_parent = call->trace_parent;
    sent.permitted_at = call->room->room.config;
    or_problem<std::optional<event_cause>> cause = cause_of(
        *call, call->who.organization, parts.box, parts.clock->now()
    );
    if (!cause) {
        co_return cause.error();
    }
    sent.cause = *std::move(cause);
    const or_problem<> named = co_await check_attachments(
        &parts.kit->store(), call->who, *call->room, sent.content
    );
    if (!named) {
        co_return named.error();
    }
    if (sent.idempotency_key.empty()) {
        sent.idempotency_key = call->idempotency_key;
    } else if (!call->idempotency_key.empty() && call->idempotency_key != sent.idempotency_key) {
        co_return validation_problem("idempotency_key", boundary_reason::unknown_value);
    }
    co_return sent;
}

/// Whether the sender may is decided in the room as this worker knows it, and holds only if the commit finds it so: what
/// another worker changed a moment ago counts, although nobody asked for it (R10).
awaitable<handled> send_event(resource_parts parts, route_call call) {
    const auto sending = std::make_shared<route_call>(std::move(call));
    const wait_for until = wait_of(*sending);
    for (int looks = 1;; ++looks) {
        or_problem<outgoing_event> sent = co_await prepare(parts, sending);
        if (!sent) {
            co_return sent.error();
        }
        const auto receipt = co_await parts.kit->send_event(*std::move(sent), until);
        if (receipt) {
            co_return answer_of_send(*receipt);
        }
        if (receipt.error() != errc::room_changed || looks == looks_at_room) {
            co_return problem_of(receipt.error());
        }
        room_id room = sending->room->room.id;
        auto around = co_await read_seen_room(parts.kit, sending->who, std::move(room));
        if (!around) {
            co_return around.error();
        }
        sending->room = *std::move(around);
    }
}

or_problem<ops::list_events> read_list_request(const route_call& call) {
    ops::list_events request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    request.newest_first = call.flag("newest_first");
    if (const auto after = call.integer("after_index")) {
        request.after = event_index{*after};
    }
    if (const auto before = call.integer("before_index")) {
        request.before = event_index{*before};
    }
    if (request.after && (request.before || request.newest_first)) {
        return validation_problem(
            request.before ? "before_index" : "newest_first", boundary_reason::not_allowed_here
        );
    }
    ops::event_filter& filter = request.filter;
    if (const auto type = call.text("type")) {
        filter.types.push_back(event_type_from(*type).value_or(event_type::message));
    }
    if (!call.who.sees_every_room()) {
        filter.status = event_status::accepted;
    }
    filter.channel = channel_id{call.text("channel_id").value_or("")};
    filter.participant = participant_id{call.text("participant_id").value_or("")};
    filter.correlation_id = call.text("correlation_id").value_or("");
    filter.parent = event_id{call.text("parent_event_id").value_or("")};
    // `from` is inclusive, the store's bound is not.
    if (const auto from = call.text("from")) {
        filter.after_time = parse_rfc3339(*from).value() - microseconds{1};
    }
    if (const auto until = call.text("until")) {
        filter.before_time = parse_rfc3339(*until).value();
    }
    if (filter.after_time && filter.before_time && *filter.after_time >= *filter.before_time) {
        return validation_problem("until", boundary_reason::out_of_range);
    }
    return request;
}

awaitable<handled> list_events(resource_parts parts, route_call call) {
    or_problem<ops::list_events> request = read_list_request(call);
    if (!request) {
        co_return request.error();
    }
    conversation_store* const store = &parts.kit->store();
    const auto page = co_await read_timeline(store, call.who, *call.room, *std::move(request));
    if (!page) {
        co_return problem_of(page.error());
    }
    json_writer out;
    out.begin_object();
    out.key("events").begin_array();
    for (const room_event& event : page->events) {
        write_event(out, event);
    }
    out.end_array();
    out.key("latest_index").integer(call.room->room.latest_index.value());
    out.key("timeline_epoch").integer(call.room->room.timeline_epoch);
    out.key("next_index");
    if (page->next_index) {
        out.integer(*page->next_index);
    } else {
        out.null();
    }
    out.end_object();
    co_return json_answer(200, out.take());
}

/// The event of the path, if the caller may see it.
awaitable<or_problem<room_event>> find_event(resource_parts parts, route_call call) {
    ops::get_event request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.id = event_id{call.at("event_id")};
    auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    if (!may_see_event(call.who, *call.room, *found)) {
        co_return not_found_problem();
    }
    co_return *std::move(found);
}

awaitable<handled> get_event(resource_parts parts, route_call call) {
    const or_problem<room_event> found = co_await find_event(parts, call);
    if (!found) {
        co_return found.error();
    }
    conversation_store* const store = &parts.kit->store();
    std::vector<room_event> one{*found};
    const auto seen = co_await visible_events(store, call.who, *call.room, std::move(one));
    if (!seen) {
        co_return problem_of(seen.error());
    }
    if (seen->empty()) {
        co_return not_found_problem();
    }
    co_return json_answer(200, event_as_json(seen->front()));
}

awaitable<handled> edit_event(resource_parts parts, route_call call) {
    const or_problem<room_event> target = co_await find_event(parts, call);
    if (!target) {
        co_return target.error();
    }
    const content wanted = call.body->content("content").value_or(content{});
    if (!is_message(wanted.type())) {
        co_return validation_problem("content.type", boundary_reason::not_allowed_here);
    }
    if (is_change(target->type)) {
        co_return validation_problem("event_id", boundary_reason::not_allowed_here);
    }
    const or_problem<> named = co_await check_attachments(
        &parts.kit->store(), call.who, *call.room, wanted
    );
    if (!named) {
        co_return named.error();
    }
    outgoing_event edit = change_by(call.who, *call.room, *target);
    edit.type = event_type::edit;
    const bool is_system = edit.participant.empty();
    edit.content = content::edit(
        target->id, wanted, is_system ? edit_origin::system : edit_origin::sender
    );
    co_return co_await send(parts, std::move(call), std::move(edit));
}

awaitable<handled> remove_for_good(resource_parts parts, route_call call, event_id removed) {
    if (!may_manage_room(call.who, *call.room)) {
        co_return forbidden_problem("this needs an owner of the room, or an operator");
    }
    const auto gone = co_await parts.kit->delete_event(
        call.who.organization, call.room->room.id, std::move(removed)
    );
    if (!gone) {
        co_return problem_of(gone.error());
    }
    if (gone->empty()) {
        co_return not_found_problem();
    }
    json_writer out;
    out.begin_object();
    out.key("deleted").begin_array();
    for (const event_id& id : *gone) {
        out.string(id.str());
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> delete_event(resource_parts parts, route_call call) {
    const or_problem<room_event> target = co_await find_event(parts, call);
    if (!target) {
        co_return target.error();
    }
    if (call.text("mode") == "hard") {
        event_id removed = target->id;
        co_return co_await remove_for_good(parts, std::move(call), std::move(removed));
    }
    if (is_change(target->type)) {
        co_return validation_problem("event_id", boundary_reason::not_allowed_here);
    }
    outgoing_event removal = change_by(call.who, *call.room, *target);
    removal.type = event_type::remove;
    const bool is_author = removal.participant == target->source.participant;
    const delete_kind kind = removal.participant.empty() ? delete_kind::system
                             : is_author || !is_room_owner(call.who, *call.room)
                                 ? delete_kind::sender
                                 : delete_kind::admin;
    removal.content = content::remove(target->id, kind);
    const auto receipt = co_await parts.kit->send_event(std::move(removal), wait_for::delivered);
    if (!receipt) {
        co_return problem_of(receipt.error());
    }
    co_return answer_of_send(*receipt);
}

awaitable<handled> list_deliveries(resource_parts parts, route_call call) {
    const or_problem<room_event> event = co_await find_event(parts, call);
    if (!event) {
        co_return event.error();
    }
    ops::list_deliveries request{call.room->room.id, event->id};
    const auto rows = co_await parts.kit->store().run(std::move(request));
    if (!rows) {
        co_return problem_of(rows.error());
    }
    ops::list_receipts told{call.room->room.id, event->id};
    const auto receipts = co_await parts.kit->store().run(std::move(told));
    if (!receipts) {
        co_return problem_of(receipts.error());
    }
    const address_view addresses = call.who.sees_every_room() ? address_view::shown
                                                              : address_view::hidden;
    json_writer out;
    out.begin_object();
    out.key("deliveries").begin_array();
    for (const delivery_row& row : *rows) {
        const auto receipt = std::ranges::find(*receipts, row.id, &delivery_receipt::delivery);
        write_delivery(out, row, addresses, receipt == receipts->end() ? nullptr : &*receipt);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

schema greeting_schema() {
    return schema::input(
        "Greeting",
        {required("channel_id", schema::id(), "The agent's"), required("content", schema::content())
        }
    );
}

awaitable<handled> send_greeting(resource_parts parts, route_call call) {
    const channel_id agent{call.body->text("channel_id").value_or("")};
    const binding* const bound = call.room->find_binding(agent);
    if (bound == nullptr || bound->kind != channel_kind::intelligence) {
        co_return validation_problem("channel_id", boundary_reason::unknown_value);
    }
    const content greeting = call.body->content("content").value_or(content{});
    if (!is_message(greeting.type())) {
        co_return validation_problem("content.type", boundary_reason::not_allowed_here);
    }
    const or_problem<> named = co_await check_attachments(
        &parts.kit->store(), call.who, *call.room, greeting
    );
    if (!named) {
        co_return named.error();
    }
    const auto receipt = co_await parts.kit->send_greeting(
        call.who.organization, call.room->room.id, agent, greeting, call.idempotency_key
    );
    if (!receipt) {
        co_return problem_of(receipt.error());
    }
    co_return answer_of_send(*receipt);
}

awaitable<handled> regenerate(resource_parts parts, route_call call) {
    const auto receipt = co_await parts.kit->regenerate_response(
        call.who.organization, call.room->room.id, call.idempotency_key
    );
    if (!receipt) {
        co_return problem_of(receipt.error());
    }
    co_return answer_of_send(*receipt);
}

std::vector<described_answer> sent_answers() {
    return {
        {201, "Stored; `status` tells whether it was blocked", event_answer_schema()},
        {200, "The same key before: the first result", event_answer_schema()},
        {202, "Stored, and still being delivered", event_answer_schema()},
    };
}

std::vector<parameter> list_parameters() {
    return {
        query_parameter("after_index", schema::integer({-1}), "The first events behind it"),
        query_parameter("before_index", schema::integer({0}), "The last events before it"),
        query_parameter("limit", schema::integer({1, 500}), "Events in a page", "50"),
        query_parameter("newest_first", schema::boolean(), "The newest page first", "false"),
        query_parameter("type", event_type_schema(), "Only events of this type"),
        query_parameter("channel_id", schema::id(), "Only those that entered there"),
        query_parameter("participant_id", schema::id(), "Only by this author"),
        query_parameter("correlation_id", schema::id(), "Only with this one"),
        query_parameter("parent_event_id", schema::id(), "Only answers in this thread"),
        query_parameter("from", schema::time(), "Not before"),
        query_parameter("until", schema::time(), "Before"),
    };
}

route event_route(http_method method, std::string path, std::string operation) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/rooms/{room_id}" + path;
    made.operation = std::move(operation);
    made.tag = "events";
    made.who = permission::room_member;
    return made;
}

}  // namespace

std::vector<route> event_routes(resource_parts parts) {
    std::vector<route> routes;

    route sending = event_route(http_method::post, "/events", "send_event");
    sending.summary = "Sends an event into a room";
    sending.parameters = {wait_parameter(), cause_parameter()};
    sending.body = new_event_schema();
    sending.answers = sent_answers();
    sending.answers[2] = {
        202,
        "Stored, and still being delivered. Or `staged`, with `id`, `room_id` and `progress` "
        "alone: "
        "sent because of a call that the room itself waits for, and stored behind what the call is "
        "about",
        accepted_schema()
    };
    sending.key = key_rule::honoured;
    sending.room = room_reading::as_known;
    sending.handle = on(parts, send_event);
    routes.push_back(std::move(sending));

    route listing = event_route(http_method::get, "/events", "list_events");
    listing.summary = "A page of the timeline";
    listing.parameters = list_parameters();
    listing.answers = {{200, "Events", event_list_schema()}};
    listing.handle = on(parts, list_events);
    routes.push_back(std::move(listing));

    route getting = event_route(http_method::get, "/events/{event_id}", "get_event");
    getting.summary = "One event";
    getting.answers = {{200, "The event", event_schema()}};
    getting.handle = on(parts, get_event);
    routes.push_back(std::move(getting));

    route editing = event_route(http_method::patch, "/events/{event_id}", "edit_event");
    editing.summary = "Edits what an event says; the edit is an event of its own";
    editing.parameters = {wait_parameter()};
    editing.body = edit_schema();
    editing.answers = sent_answers();
    editing.handle = on(parts, edit_event);
    routes.push_back(std::move(editing));

    route removing = event_route(http_method::delete_, "/events/{event_id}", "delete_event");
    removing.summary = "Takes an event back, or removes it and its replies for good";
    removing.parameters = {
        query_parameter("mode", schema::word("", {"soft", "hard"}), "`hard` leaves nothing", "soft")
    };
    removing.answers = {
        {200, "Removed for good", deletion_schema()},
        {201, "Taken back, by this event", event_answer_schema()},
        {202, "Taken back; the news is still being delivered", event_answer_schema()},
    };
    removing.handle = on(parts, delete_event);
    routes.push_back(std::move(removing));

    route deliveries = event_route(
        http_method::get, "/events/{event_id}/deliveries", "list_deliveries"
    );
    deliveries.summary = "What became of delivering an event";
    deliveries.answers = {{200, "Its deliveries", delivery_list_schema()}};
    deliveries.handle = on(parts, list_deliveries);
    routes.push_back(std::move(deliveries));

    route greeting = event_route(http_method::post, "/greeting", "send_greeting");
    greeting.summary = "Sends a greeting as an agent's own message";
    greeting.who = permission::room_manager;
    greeting.body = greeting_schema();
    greeting.answers = sent_answers();
    greeting.key = key_rule::honoured;
    greeting.handle = on(parts, send_greeting);
    routes.push_back(std::move(greeting));

    route again = event_route(http_method::post, "/regenerate", "regenerate_response");
    again.summary = "Lets the agents answer the last message by a person again";
    again.answers = sent_answers();
    again.key = key_rule::honoured;
    again.handle = on(parts, regenerate);
    routes.push_back(std::move(again));
    return routes;
}

}  // namespace convene
