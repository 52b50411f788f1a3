// SPDX-License-Identifier: Apache-2.0
// What the gates know: the room as read under its lock, and the events a proposal may refer to.
#pragma once

#include "convene/error.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <string>
#include <vector>

#include "store/operations/timeline.hpp"

namespace convene {

/// The proposal stores nothing.
struct refusal {
    errc code = errc::invalid_argument;
    std::string detail;  ///< a stable word, or the name of the field at fault

    friend bool operator==(const refusal&, const refusal&) = default;
};

/// *Lifetime*: what the pointers, none of them null, point to outlives the decision.
struct gate_facts {
    const room_context* context;                ///< the room row is the one read under the lock
    const std::vector<ops::key_hit>* hits;      ///< stored idempotency keys of the batch
    const std::vector<room_event>* referenced;  ///< stored events of this room the batch refers to
    const std::vector<room_event>* earlier;     ///< decided earlier under the same lock

    /// An accepted event of this room. A blocked one is never shown, so nothing can refer to it:
    /// neither can an edit rewrite what a moderator refused.
    [[nodiscard]] const room_event* find_accepted(const event_id& id) const noexcept;

    /// Whether an event is soft-deleted, also by an event decided earlier under the same lock.
    [[nodiscard]] bool is_deleted(const room_event& event) const;
};

}  // namespace convene
