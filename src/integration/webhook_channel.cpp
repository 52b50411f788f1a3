// SPDX-License-Identifier: Apache-2.0
// Webhook channel: from a delivery to a request, from a reply to a result.
#include "integration/webhook_channel.hpp"

#include <string>
#include <utility>

#include "integration/webhook_body.hpp"
#include "integration/webhook_reply.hpp"
#include "webhook/cause_header.hpp"

namespace convene {

webhook_channel::webhook_channel(
    registered_channel record, std::vector<webhook_secret> secrets, parts given
)
    : record_(std::move(record)), secrets_(std::move(secrets)), parts_(std::move(given)) {}

std::span<const webhook_secret> webhook_channel::secrets(wall_time now) const {
    const bool is_rotated = now >= record_.secrets.previous_until;
    return std::span{secrets_}.first(is_rotated ? 1 : secrets_.size());
}

channel_capabilities webhook_channel::capabilities() const { return {content_type_set::all(), 0}; }

awaitable<send_result> webhook_channel::deliver(delivery_request request) {
    const coroutine_context context = co_await this_context();
    const wall_time now = parts_.clock->now();
    http_call call = make_webhook_call(
        record_.url, request.id.str(), webhook_body_of(request), secrets(now), now
    );
    call.headers.add("convene-attempt", std::to_string(request.attempt));
    if (request.cause) {
        call.headers.add(std::string{cause_header}, encode_cause(*request.cause, *parts_.box, now));
    }
    const deadline until{context.where->now() + record_.attempt_deadline};
    const result<http_reply> replied = co_await parts_.send(std::move(call), until);
    const webhook_reply reply = read_webhook_reply(replied, parts_.clock->now());
    if (reply.what == webhook_verdict::gone) {
        co_await parts_.on_gone(record_.id);
    }
    co_return send_result_of(reply);
}

}  // namespace convene
