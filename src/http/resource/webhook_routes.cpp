// SPDX-License-Identifier: Apache-2.0
// What providers tell us by webhooks: messages that come in, and what became of those that went out.
#include <string>
#include <utility>

#include "http/cause.hpp"
#include "http/reading.hpp"
#include "http/resource/integration_routes.hpp"
#include "http/view/delivery_view.hpp"
#include "http/view/event_view.hpp"
#include "store/operations/channels.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

schema incoming_schema() {
    return schema::input(
        "IncomingMessage",
        {required("sender", schema::id(), "The sender's id at the provider"),
         optional("text", schema::text({1}), "Either this or `content`"),
         optional("content", schema::content()),
         optional("room_id", schema::id(), "Left out: routed by sender and channel"),
         optional("parent_event_id", schema::id(), "The event it answers"),
         optional("provider_message_id", schema::text({0, 256})),
         optional("metadata", schema::any_object())}
    );
}

schema incoming_answer_schema() {
    return schema::object(
        "IncomingAnswer",
        {required("event_id", schema::id()),
         required("room_id", schema::id()),
         required("index", schema::integer({0})),
         required("status", schema::word("EventStatus", {"accepted", "blocked"})),
         required("replayed", schema::boolean(), "This `webhook-id` was known: the first result")}
    );
}

schema status_schema() {
    return schema::input(
        "DeliveryStatus",
        {required("delivery_id", schema::id(), "As it was sent to the provider"),
         required("event_id", schema::id(), "The event of this delivery, from the same body"),
         required("status", receipt_status_schema()),
         optional("error_code", schema::text({0, 256})),
         optional("error_message", schema::text({0, 2000}))}
    );
}

schema status_answer_schema() {
    return schema::object(
        "DeliveryStatusAnswer",
        {required("changed", schema::boolean(), "False: no more than was known")}
    );
}

problem unbelieved(webhook_refusal refusal) {
    problem what;
    what.status = 401;
    what.code = "UNAUTHENTICATED";
    what.detail =
        "sign the request by Standard Webhooks with the channel's secret, just before it is sent";
    what.errors.push_back({std::string{webhook_signature_header}, std::string{word_of(refusal)}});
    return what;
}

/// The channel whose secret made the signature of a raw body. *Errors*: 404, 401, 403.
awaitable<or_problem<std::shared_ptr<webhook_channel>>> believe(
    integration_route_parts parts, const route_call* call
) {
    channel_id id{call->at("provider")};
    auto known = co_await parts.channels->look_up(std::move(id));
    if (!known) {
        co_return problem_of(known.error());
    }
    std::shared_ptr<webhook_channel> channel = std::move(*known);
    if (channel == nullptr || channel->type() != call->at("channel_type")) {
        co_return not_found_problem();
    }
    const auto sent = [call](std::string_view name) {
        return std::string{call->request.headers.find(name).value_or("")};
    };
    const webhook_headers headers{
        sent(webhook_id_header), sent(webhook_timestamp_header), sent(webhook_signature_header)
    };
    const wall_time now = parts.clock->now();
    const std::optional<webhook_refusal> refusal = refusal_of_webhook(
        headers, call->request.body, channel->secrets(now), now
    );
    if (refusal) {
        co_return unbelieved(*refusal);
    }
    if (!channel->is_enabled()) {
        co_return forbidden_problem("the channel is disabled");
    }
    co_return channel;
}

or_problem<inbound_message> read_message(const webhook_channel& from, const route_call& call) {
    const read_object& body = *call.body;
    const std::optional<std::string> text = body.text("text");
    const std::optional<content> whole = body.content("content");
    if (text.has_value() == whole.has_value()) {
        const auto reason = text ? boundary_reason::not_allowed_here
                                 : boundary_reason::missing_field;
        return validation_problem("content", reason);
    }
    if (whole && !is_message(whole->type())) {
        return validation_problem("content.type", boundary_reason::not_allowed_here);
    }
    inbound_message message;
    message.organization = from.organization();
    message.channel = from.id();
    message.sender = body.text("sender").value_or("");
    message.content = whole ? *whole : content::text(*text);
    message.room = room_id{body.text("room_id").value_or("")};
    message.parent = event_id{body.text("parent_event_id").value_or("")};
    message.idempotency_key = call.request.headers.find(webhook_id_header).value_or("");
    message.provider_message_id = body.text("provider_message_id").value_or("");
    message.metadata = body.json("metadata").value_or(json_text{});
    return message;
}

schema staged_answer_schema() {
    return schema::object(
        "IncomingStaged",
        {required("event_id", schema::id()),
         required("room_id", schema::id()),
         required("progress", schema::word("StagedProgress", {"staged"}))}
    );
}

/// It has no index yet, nor a status: its room takes it next.
handled answer_of_staged(const room_event& event) {
    json_writer out;
    out.begin_object();
    out.key("event_id").string(event.id.str());
    out.key("room_id").string(event.room.str());
    out.key("progress").string(word_of(delivery_progress::staged));
    out.end_object();
    return json_answer(202, out.take());
}

awaitable<handled> take_message(integration_route_parts parts, route_call call) {
    const auto from = co_await believe(parts, &call);
    if (!from) {
        co_return from.error();
    }
    const or_problem<> parsed = parse_body(&call);
    if (!parsed) {
        co_return parsed.error();
    }
    or_problem<inbound_message> message = read_message(**from, call);
    if (!message) {
        co_return message.error();
    }
    or_problem<std::optional<event_cause>> cause = cause_of(
        call, (*from)->organization(), parts.box, parts.clock->now()
    );
    if (!cause) {
        co_return cause.error();
    }
    message->cause = *std::move(cause);
    // The provider waits: it is answered when the message is stored.
    const auto receipt = co_await parts.kit->process_inbound(
        *std::move(message), wait_for::committed
    );
    if (!receipt) {
        co_return problem_of(receipt.error());
    }
    if (receipt->progress == delivery_progress::staged) {
        co_return answer_of_staged(receipt->event);
    }
    json_writer out;
    out.begin_object();
    out.key("event_id").string(receipt->event.id.str());
    out.key("room_id").string(receipt->event.room.str());
    out.key("index").integer(receipt->event.index.value());
    out.key("status").string(word_of(receipt->event.status));
    out.key("replayed").boolean(receipt->is_replay);
    out.end_object();
    co_return json_answer(receipt->is_replay ? 200 : 201, out.take());
}

awaitable<handled> take_status(integration_route_parts parts, route_call call) {
    const auto from = co_await believe(parts, &call);
    if (!from) {
        co_return from.error();
    }
    const or_problem<> parsed = parse_body(&call);
    if (!parsed) {
        co_return parsed.error();
    }
    const read_object& body = *call.body;
    ops::put_receipt request;
    request.organization = (*from)->organization();
    request.channel = (*from)->id();
    request.event = event_id{body.text("event_id").value_or("")};
    request.receipt.delivery = delivery_id{body.text("delivery_id").value_or("")};
    request.receipt.status = receipt_status_from(body.text("status").value_or(""))
                                 .value_or(receipt_status::delivered);
    request.receipt.error_code = body.text("error_code").value_or("");
    request.receipt.error_message = body.text("error_message").value_or("");
    const auto changed = co_await parts.kit->store().run(std::move(request));
    if (!changed) {
        co_return problem_of(changed.error());
    }
    json_writer out;
    out.begin_object();
    out.key("changed").boolean(*changed);
    out.end_object();
    co_return json_answer(200, out.take());
}

route webhook_route(std::string path, std::string operation, std::string summary) {
    route made;
    made.method = http_method::post;
    made.pattern = "/api/v1/webhooks/{channel_type}/{provider}" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "webhooks";
    // Who it is, the signature tells.
    made.who = permission::anyone;
    made.reading = body_rule::raw;
    return made;
}

}  // namespace

std::vector<route> webhook_routes(integration_route_parts parts) {
    std::vector<route> routes;

    route message = webhook_route(
        "", "receive_webhook", "A provider brings a message, signed with the channel's secret"
    );
    message.body = incoming_schema();
    message.answers = {
        {201, "Stored; `status` tells whether it was blocked", incoming_answer_schema()},
        {200, "The same `webhook-id` before: the first result", incoming_answer_schema()},
        {202,
         "Sent because of a delivery that the room itself waits for, and stored behind the event "
         "that was delivered",
         staged_answer_schema()},
    };
    message.parameters = {cause_parameter()};
    message.handle = on(parts, take_message);
    routes.push_back(std::move(message));

    route status = webhook_route(
        "/status",
        "receive_delivery_status",
        "A provider tells what became of a message, signed with the channel's secret"
    );
    status.body = status_schema();
    status.answers = {{200, "Noted", status_answer_schema()}};
    status.handle = on(parts, take_status);
    routes.push_back(std::move(status));
    return routes;
}

}  // namespace convene
