// SPDX-License-Identifier: Apache-2.0
// What a worker keeps for an active room: its writer, its lane, and the scope their tasks run in.
#pragma once

#include "convene/task_scope.hpp"

#include "room/lane.hpp"
#include "room/writer.hpp"

namespace convene {

/// *Lifetime*: shared by the directory and by calls that are inside the room.
class room_slot {
   public:
    room_slot(engine_core* core, const organization_id& organization, const room_id& room)
        : deliveries(core, &scope, organization, room),
          writer(core, &deliveries, &scope, organization, room),
          scope(core->where) {
        deliveries.connect(&writer);
    }

    room_slot(const room_slot&) = delete;
    room_slot& operator=(const room_slot&) = delete;

    [[nodiscard]] bool is_idle() const noexcept {
        return scope.size() == 0 && writer.is_idle() && deliveries.is_idle();
    }

    lane deliveries;
    room_writer writer;
    task_scope scope;  // last: its tasks use the members above
};

}  // namespace convene
