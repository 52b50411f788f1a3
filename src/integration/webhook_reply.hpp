// SPDX-License-Identifier: Apache-2.0
// What a receiver's reply to a webhook means: taken, gone, refused, or to be tried again.
#pragma once

#include "convene/channel.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "net/http_client.hpp"

namespace convene {

enum class webhook_verdict : std::uint8_t {
    taken,    ///< 2xx
    gone,     ///< 410: never send there again
    refused,  ///< the same request will never pass
    failed,   ///< a later one may
};

struct webhook_reply {
    webhook_verdict what = webhook_verdict::taken;
    std::string code;  ///< a stable word; empty when taken
    std::string message;
    std::optional<std::chrono::milliseconds> retry_after;  ///< of a 429 or 503
};

/// Redirects are refusals: a webhook goes where its owner said. `now` is for a `Retry-After` that is a date.
[[nodiscard]] webhook_reply read_webhook_reply(const result<http_reply>& reply, wall_time now);

/// The same for the engine.
[[nodiscard]] send_result send_result_of(const webhook_reply& reply);

}  // namespace convene
