// SPDX-License-Identifier: Apache-2.0
// R8: when two requests with the same idempotency key are the same request.
#pragma once

#include "convene/event.hpp"

#include <string>

namespace convene {

/// SHA-256, in hexadecimal, of what the sender asked for: type, content, channel, sender, parent,
/// addressees, visibility of the event and of its answers, metadata. Two requests that differ in
/// nothing else are the same; what the room adds (id, index, time, cascade) does not count. Frozen:
/// it is stored beside the key.
///
/// *Requires*: the event as it was asked for, before any gate has moved it.
[[nodiscard]] std::string request_hash(const room_event& asked);

}  // namespace convene
