// SPDX-License-Identifier: Apache-2.0
// R13: who may edit or delete an event, and what the change does to it.
#pragma once

#include "convene/event.hpp"

#include <variant>

#include "room/gate_facts.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// Whether events of this type change another event.
[[nodiscard]] constexpr bool is_change(event_type type) noexcept {
    return type == event_type::edit || type == event_type::remove;
}

/// Edits carry edit content, deletions delete content, and nothing else carries either: so no
/// change escapes the check of its authority.
[[nodiscard]] bool fits_type(const content& what, event_type type) noexcept;

/// What the event does to its target when it is committed.
/// *Requires*: `is_change(event.type)`, `fits_type`, and an edit has new content.
[[nodiscard]] ops::target_change change_of(const room_event& event);

/// An allowed change.
struct permitted_change {
    const room_event* target;
};

/// Decides about an EDIT or DELETE by the right that it claims.
///
/// | change | claimed right         | who has it                       |
/// | ------ | --------------------- | -------------------------------- |
/// | edit   | `sender`, the default | the author, an owner, the system |
/// | edit   | `system`              | the system                       |
/// | edit   | a word we don't know  | the author                       |
/// | delete | `sender`              | the author, the system           |
/// | delete | `admin`               | an owner, the system             |
/// | delete | `system`              | the system                       |
/// | delete | a word we don't know  | the author                       |
///
/// The author is the same participant, or where one of the two is not identified the same sender of
/// the same channel; an agent's channel is the author of what it says. An owner is an active
/// participant with that role. The system is who has neither channel nor participant.
///
/// *Errors*: `target_event_not_found` (not in this room, blocked, or an edit of what is deleted),
/// `not_authorized`, `invalid_argument` (the target is itself a change, or an edit without
/// content).
[[nodiscard]] std::variant<refusal, permitted_change> authorize_change(
    const gate_facts& facts, const room_event& change
);

}  // namespace convene
