// SPDX-License-Identifier: Apache-2.0
// The bodies of webhooks that we send: an event for a channel, a framework event for a subscriber.
#pragma once

#include "convene/channel.hpp"
#include "convene/delivery.hpp"

#include <span>
#include <string>

#include "net/http_client.hpp"
#include "webhook/signature.hpp"

namespace convene {

/// `{"type":"room.event","timestamp":...,"data":{...}}`, the same at every attempt (docs/formats/webhooks.md).
[[nodiscard]] std::string webhook_body_of(const delivery_request& request);

/// `{"type":"delivery_skipped","timestamp":...,"data":{...}}`.
[[nodiscard]] std::string webhook_body_of(const framework_event& notice);

/// The signed request that brings a body. *Requires*: as `sign_webhook`.
[[nodiscard]] http_call make_webhook_call(
    std::string url,
    std::string id,
    std::string body,
    std::span<const webhook_secret> secrets,
    wall_time now
);

}  // namespace convene
