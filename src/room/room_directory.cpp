// SPDX-License-Identifier: Apache-2.0
// Room directory: slots by room id.
#include "room/room_directory.hpp"

#include <algorithm>

namespace convene {

room_directory::~room_directory() {
    // After a crash: a call that was inside a room holds a share in it, also one that ran in that room's own scope.
    for (const auto& [id, slot] : slots_) {
        slot->scope.drop();
    }
}

std::shared_ptr<room_slot> room_directory::open(
    const organization_id& organization, const room_id& room
) {
    std::shared_ptr<room_slot>& slot = slots_[room];
    if (slot == nullptr) {
        slot = std::make_shared<room_slot>(&core_, organization, room);
    }
    return slot;
}

std::shared_ptr<room_slot> room_directory::find(const room_id& room) const {
    const auto found = slots_.find(room);
    return found == slots_.end() ? nullptr : found->second;
}

void room_directory::drop_idle() {
    std::erase_if(slots_, [](const auto& entry) {
        return entry.second.use_count() == 1 && entry.second->is_idle();
    });
}

awaitable<void> room_directory::drain(deadline until) {
    is_draining_ = true;
    auto drain_one = [](std::shared_ptr<room_slot> slot, deadline end) -> awaitable<void> {
        // Joining under a deadline: what is still running then is stopped, and joined.
        co_await with_deadline(end, slot->scope.join());
        slot->writer.refuse_all();
        slot->deliveries.hand_over();
    };
    task_scope draining{core_.where};
    for (const auto& [room, slot] : slots_) {
        slot->deliveries.start_draining();
        draining.spawn("drain " + room.str(), drain_one(slot, until));
    }
    co_await shielded(draining.join());
}

std::vector<room_kit::lane_figures> room_directory::lanes() const {
    std::vector<room_kit::lane_figures> all;
    all.reserve(slots_.size());
    for (const auto& [room, slot] : slots_) {
        all.push_back(slot->deliveries.figures());
    }
    std::ranges::sort(all, {}, [](const room_kit::lane_figures& one) { return one.room; });
    return all;
}

}  // namespace convene
