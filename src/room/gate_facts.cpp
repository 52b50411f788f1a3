// SPDX-License-Identifier: Apache-2.0
// Gate facts: finding events among the stored ones and those of the batch.
#include "room/gate_facts.hpp"

#include <algorithm>

namespace convene {

namespace {

const room_event* find_in(const std::vector<room_event>& events, const event_id& id) noexcept {
    const auto found = std::ranges::find_if(events, [&](const room_event& event) {
        return event.id == id && event.status == event_status::accepted;
    });
    return found == events.end() ? nullptr : &*found;
}

bool deletes(const room_event& event, const event_id& target) {
    return event.type == event_type::remove && event.status == event_status::accepted &&
           event.content.target_event() == target;
}

}  // namespace

const room_event* gate_facts::find_accepted(const event_id& id) const noexcept {
    const room_event* stored = find_in(*referenced, id);
    return stored != nullptr ? stored : find_in(*earlier, id);
}

bool gate_facts::is_deleted(const room_event& event) const {
    return event.is_deleted || std::ranges::any_of(*earlier, [&](const room_event& other) {
               return deletes(other, event.id);
           });
}

}  // namespace convene
