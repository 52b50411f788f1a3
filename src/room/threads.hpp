// SPDX-License-Identifier: Apache-2.0
// R12: threads have two levels, a root and its replies.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"

#include <optional>

#include "room/gate_facts.hpp"

namespace convene {

/// Hangs an event on the root of the thread it replies to.
///
/// | the parent it names                  | where it goes                     |
/// | ------------------------------------ | --------------------------------- |
/// | none                                 | top level                         |
/// | a top-level event of this room       | below it                          |
/// | a reply                              | below that reply's root           |
/// | missing, of another room, or blocked | top level; the answer is a notice |
[[nodiscard]] std::optional<framework_event> place_in_thread(
    const gate_facts& facts, room_event* event
);

}  // namespace convene
