// SPDX-License-Identifier: Apache-2.0
// The frames of server-sent events, and the answer that carries them.
#pragma once

#include "convene/random.hpp"

#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace convene {

/// *Requires*: no part has a line end.
[[nodiscard]] std::string sse_frame(
    std::string_view id, std::string_view event, std::string_view data
);

/// A comment, so that the stream is not silent.
[[nodiscard]] std::string_view sse_heartbeat() noexcept;

/// When to come back after a cut: readers that a restart cuts off together must not come back together.
[[nodiscard]] std::string sse_retry(random_source& random);

/// An answer that nobody on the way stores, changes or holds back; without its producer.
[[nodiscard]] http_stream sse_stream();

}  // namespace convene
