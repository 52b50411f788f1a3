// SPDX-License-Identifier: Apache-2.0
// Keeps the three views of a room's events in step.
#include "store/memory/timeline.hpp"

#include "base/assert.hpp"

namespace convene {

void timeline::append(stored_event appended) {
    const event_index index = appended.event.index;
    const bool is_new_id = by_id_.emplace(appended.event.id, index).second;
    if (!appended.event.parent.empty()) {
        replies_[appended.event.parent].insert(index);
    }
    const bool is_new_index = by_index_.emplace(index, std::move(appended)).second;
    CONVENE_ASSERT(is_new_id && is_new_index, "an event was appended twice");
}

void timeline::erase(const event_id& id) {
    const auto known = by_id_.find(id);
    CONVENE_ASSERT(known != by_id_.end(), "an event that is not there was erased");
    const event_index index = known->second;
    if (const auto thread = replies_.find(at(index).parent); thread != replies_.end()) {
        thread->second.erase(index);
        if (thread->second.empty()) {
            replies_.erase(thread);
        }
    }
    by_id_.erase(known);
    by_index_.erase(index);
}

const room_event* timeline::find(const event_id& id) const {
    const auto known = by_id_.find(id);
    return known == by_id_.end() ? nullptr : &at(known->second);
}

room_event* timeline::find(const event_id& id) {
    const auto known = by_id_.find(id);
    return known == by_id_.end() ? nullptr : &by_index_.at(known->second).event;
}

const room_event* timeline::first_after(event_index index) const {
    const auto next = by_index_.upper_bound(index);
    return next == by_index_.end() ? nullptr : &next->second.event;
}

const std::set<event_index>& timeline::replies_to(const event_id& root) const {
    static const std::set<event_index> none;
    const auto thread = replies_.find(root);
    return thread == replies_.end() ? none : thread->second;
}

}  // namespace convene
