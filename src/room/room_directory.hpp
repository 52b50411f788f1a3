// SPDX-License-Identifier: Apache-2.0
// The active rooms of a worker: made on demand, dropped when idle, drained together.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "room/room_slot.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: drained before it is destroyed.
class room_directory {
   public:
    explicit room_directory(engine_core* core) : core_(*core) {}

    ~room_directory();

    room_directory(const room_directory&) = delete;
    room_directory& operator=(const room_directory&) = delete;

    [[nodiscard]] std::shared_ptr<room_slot> open(
        const organization_id& organization, const room_id& room
    );

    /// Null if the room is not active here.
    [[nodiscard]] std::shared_ptr<room_slot> find(const room_id& room) const;

    /// Forgets rooms in which nothing runs and nobody is.
    void drop_idle();

    /// Finishes what runs in all rooms at once; what is left at `until` is cancelled and handed over.
    /// From its start on nothing new may be committed: what follows it is recorded as this worker's end.
    [[nodiscard]] awaitable<void> drain(deadline until);

    [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }

    [[nodiscard]] std::vector<room_kit::lane_figures> lanes() const;

   private:
    // fixed after construction
    engine_core& core_;

    // touched on the loop only
    bool is_draining_ = false;
    std::unordered_map<room_id, std::shared_ptr<room_slot>> slots_;
};

}  // namespace convene
