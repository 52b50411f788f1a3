// SPDX-License-Identifier: Apache-2.0
// JSON as receivers get it: frozen names, nothing that is only ours.
#include "integration/webhook_body.hpp"

#include <cstddef>
#include <utility>

#include "base/json_writer.hpp"

namespace convene {

namespace {

/// What we read of a reply: its status is what counts.
constexpr std::size_t most_reply_bytes = 64U << 10U;

void write_event(json_writer& out, const room_event& event) {
    out.begin_object();
    out.key("id").string(event.id.str());
    out.key("room_id").string(event.room.str());
    out.key("index").integer(event.index.value());
    out.key("type").string(word_of(event.type));
    out.key("content").json(event.content.json());
    out.key("text").string(readable_text(event.content));
    out.key("source").begin_object();
    out.key("channel_id").string(event.source.channel.str());
    out.key("channel_type").string(event.source.channel_type);
    out.key("participant_id").string(event.source.participant.str());
    out.key("external_id").string(event.source.external_id);
    out.end_object();
    out.key("parent_event_id").string(event.parent.str());
    out.key("correlation_id").string(event.correlation_id);
    out.key("metadata").json(event.metadata);
    out.key("created_at").string(format_rfc3339(event.created_at));
    out.end_object();
}

void begin(json_writer& out, std::string_view type, wall_time at) {
    out.begin_object();
    out.key("type").string(type);
    out.key("timestamp").string(format_rfc3339(at));
    out.key("data").begin_object();
}

std::string end(json_writer& out) {
    out.end_object();
    out.end_object();
    return out.take().str();
}

}  // namespace

std::string webhook_body_of(const delivery_request& request) {
    json_writer out;
    begin(out, "room.event", request.event.created_at);
    out.key("delivery_id").string(request.id.str());
    out.key("channel_id").string(request.binding.channel.str());
    out.key("address").string(request.binding.address);
    write_event(out.key("event"), request.event);
    return end(out);
}

std::string webhook_body_of(const framework_event& notice) {
    json_writer out;
    begin(out, notice.type, notice.created_at);
    out.key("sequence").integer(notice.sequence);
    out.key("room_id").string(notice.room.str());
    out.key("event_id").string(notice.event.str());
    out.key("details").json(notice.data);
    return end(out);
}

http_call make_webhook_call(
    std::string url,
    std::string id,
    std::string body,
    std::span<const webhook_secret> secrets,
    wall_time now
) {
    const webhook_headers signed_with = sign_webhook(std::move(id), now, body, secrets);
    http_call call;
    call.method = http_method::post;
    call.url = std::move(url);
    call.headers.add("content-type", "application/json");
    call.headers.add("user-agent", "Convene");
    call.headers.add(std::string{webhook_id_header}, signed_with.id);
    call.headers.add(std::string{webhook_timestamp_header}, signed_with.timestamp);
    call.headers.add(std::string{webhook_signature_header}, signed_with.signature);
    call.body = std::move(body);
    call.max_reply = most_reply_bytes;
    return call;
}

}  // namespace convene
