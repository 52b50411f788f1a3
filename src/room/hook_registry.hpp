// SPDX-License-Identifier: Apache-2.0
// The hooks of one process, and which of them an event meets.
#pragma once

#include "convene/error.hpp"
#include "convene/hook.hpp"
#include "convene/room.hpp"

#include <memory>
#include <vector>

namespace convene {

/// Hooks in the order in which they run: lower priority first, ties by id.
///
/// *Thread safety*: loop only. *Lifetime*: a definition is shared by the registry and the calls
/// that use it, so removing a hook never takes it away from under a call.
class hook_registry {
   public:
    using shared_hook = std::shared_ptr<const hook_definition>;

    /// *Errors*: `already_exists`; `invalid_argument` for an id that is none, a missing function,
    /// or a deadline beyond what its point allows (1 ms to 2 s before the commit, to 30 s after
    /// delivery).
    result<> add(hook_definition added);

    /// Events that are being decided still meet it.
    void remove(const hook_id& id);

    /// The hooks of a point that this event of this room meets, in their order.
    [[nodiscard]] std::vector<shared_hook> match(
        hook_point point, const room& where, const room_event& event
    ) const;

    /// Null if there is none.
    [[nodiscard]] shared_hook find(const hook_id& id) const;

   private:
    std::vector<shared_hook> hooks_;  ///< in their order
};

}  // namespace convene
