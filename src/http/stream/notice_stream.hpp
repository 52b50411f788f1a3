// SPDX-License-Identifier: Apache-2.0
// The stream of an organisation's framework events (R19): resumable, and nothing is kept for a reader.
#pragma once

#include "http/route.hpp"
#include "http/stream/stream_parts.hpp"

namespace convene {

/// `GET framework-events/stream`. *Requires*: `parts.notices`.
[[nodiscard]] route notice_stream_route(stream_parts parts);

}  // namespace convene
