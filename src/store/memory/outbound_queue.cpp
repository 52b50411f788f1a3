// SPDX-License-Identifier: Apache-2.0
// Keeps outbound items and the lines of their addresses in step.
#include "store/memory/outbound_queue.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace convene {

std::int64_t outbound_queue::add(outbound_item item) {
    item.id = ++last_id_;
    lines_[{item.channel, item.address}].insert(item.id);
    items_.emplace(item.id, std::move(item));
    return last_id_;
}

outbound_item* outbound_queue::find(std::int64_t id) {
    const auto item = items_.find(id);
    return item == items_.end() ? nullptr : &item->second;
}

void outbound_queue::remove(std::int64_t id) {
    const auto item = items_.find(id);
    CONVENE_ASSERT(item != items_.end(), "an outbound item that is not there was removed");
    const auto line = lines_.find({item->second.channel, item->second.address});
    line->second.erase(id);
    if (line->second.empty()) {
        lines_.erase(line);
    }
    items_.erase(item);
}

template <class Predicate>
void outbound_queue::remove_if(Predicate matches) {
    std::vector<std::int64_t> leaving;
    for (const auto& [id, item] : items_) {
        if (matches(item)) {
            leaving.push_back(id);
        }
    }
    for (const std::int64_t id : leaving) {
        remove(id);
    }
}

void outbound_queue::remove_room(const room_id& room) {
    remove_if([&](const outbound_item& item) { return item.room == room; });
}

void outbound_queue::remove_event(const room_id& room, const event_id& event) {
    remove_if([&](const outbound_item& item) { return item.room == room && item.event == event; });
}

std::vector<outbound_queue::line> outbound_queue::lines(const std::optional<room_id>& of) const {
    std::vector<line> found;
    for (const auto& [where, ids] : lines_) {
        const auto counts = std::ranges::count_if(ids, [&](std::int64_t id) {
            return !of || items_.at(id).room == *of;
        });
        if (counts != 0) {
            found.push_back({where, static_cast<std::size_t>(counts), &items_.at(*ids.begin())});
        }
    }
    return found;
}

}  // namespace convene
