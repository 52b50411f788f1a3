// SPDX-License-Identifier: Apache-2.0
// The events of one room in memory: by index, by id, and the replies of each thread root.
#pragma once

#include "convene/event.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace convene {

/// An event with its place among all commits of the store.
struct stored_event {
    room_event event;
    std::int64_t commit_order = 0;
};

/// Holds events; which index comes next is the room's to say.
class timeline {
   public:
    using events_by_index = std::map<event_index, stored_event>;

    /// *Requires*: neither the id nor the index is known.
    void append(stored_event appended);

    /// *Requires*: the event is known.
    void erase(const event_id& id);

    /// Null if there is no such event.
    [[nodiscard]] room_event* find(const event_id& id);
    [[nodiscard]] const room_event* find(const event_id& id) const;

    [[nodiscard]] bool has(event_index index) const { return by_index_.contains(index); }

    [[nodiscard]] const events_by_index& events() const noexcept { return by_index_; }

    /// The first event behind `index`; null if there is none.
    [[nodiscard]] const room_event* first_after(event_index index) const;

    /// Indexes of the events whose parent is `root`, ascending.
    [[nodiscard]] const std::set<event_index>& replies_to(const event_id& root) const;

    /// *Requires*: `has(index)`.
    [[nodiscard]] const room_event& at(event_index index) const {
        return by_index_.at(index).event;
    }

   private:
    events_by_index by_index_;
    std::unordered_map<event_id, event_index> by_id_;
    std::unordered_map<event_id, std::set<event_index>> replies_;
};

}  // namespace convene
