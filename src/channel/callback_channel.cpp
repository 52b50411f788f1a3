// SPDX-License-Identifier: Apache-2.0
// Callback channel: nothing but the call.
#include "convene/channels/callback_channel.hpp"

#include <utility>

#include "base/assert.hpp"

namespace convene {

callback_channel::callback_channel(
    channel_id id, delivery_callback called, callback_channel_settings with
)
    : id_(std::move(id)), called_(std::move(called)), with_(with) {
    CONVENE_ASSERT(called_ != nullptr, "a callback channel needs a callback");
}

awaitable<send_result> callback_channel::deliver(delivery_request request) {
    return called_(std::move(request));
}

}  // namespace convene
