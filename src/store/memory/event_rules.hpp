// SPDX-License-Identifier: Apache-2.0
// Which events a read answers: filters, what is shown, and what counts as unread.
#pragma once

#include "convene/event.hpp"

#include "store/operations/timeline.hpp"

namespace convene {

[[nodiscard]] bool passes(const room_event& event, const ops::event_filter& filter);

/// Part of the conversation: neither blocked nor taken back.
[[nodiscard]] bool is_shown(const room_event& event);

/// R15: only messages by others that the reader may see; behind the marker is the caller's to
/// check.
[[nodiscard]] bool is_unread_for(const room_event& event, const ops::count_unread& request);

}  // namespace convene
