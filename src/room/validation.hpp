// SPDX-License-Identifier: Apache-2.0
// R16 at the kit's door: every text of a message from outside is checked before anything is stored.
#pragma once

#include "convene/boundary.hpp"
#include "convene/room_kit.hpp"

namespace convene {

/// The first field that breaks a rule. Content and metadata were checked when they were made.
checked<> validate(const outgoing_event& sent);
checked<> validate(const inbound_message& message);

/// A room as its creator describes it, with its first bindings and participants.
checked<> validate(
    const room& created,
    const std::vector<binding>& bindings,
    const std::vector<participant>& participants
);

}  // namespace convene
