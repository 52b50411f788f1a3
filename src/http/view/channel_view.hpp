// SPDX-License-Identifier: Apache-2.0
// Registered channels and subscriptions as JSON. No secret is among what is shown.
#pragma once

#include "convene/room_kit.hpp"

#include <vector>

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/channel_values.hpp"

namespace convene {

[[nodiscard]] const schema& registered_channel_schema();

/// With the destinations where something is wrong or waits.
[[nodiscard]] const schema& channel_detail_schema();

[[nodiscard]] const schema& webhook_subscription_schema();

void write_registered_channel(json_writer& out, const registered_channel& shown);
[[nodiscard]] json_text channel_as_json(const registered_channel& shown);

/// `destinations` are those of this channel.
[[nodiscard]] json_text channel_detail_as_json(
    const registered_channel& shown, const std::vector<room_kit::destination_figures>& destinations
);

void write_webhook_subscription(json_writer& out, const webhook_subscription& shown);
[[nodiscard]] json_text subscription_as_json(const webhook_subscription& shown);

}  // namespace convene
