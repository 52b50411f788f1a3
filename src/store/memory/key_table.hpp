// SPDX-License-Identifier: Apache-2.0
// Idempotency keys in memory: the event stored under a key, and keys of events deleted within the
// last 24 h.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/room_rules.hpp"

namespace convene {

struct keyed_event {
    room_id room;
    event_id event;
    std::string request_hash;
    std::optional<wall_time> deleted_at;  ///< set: the event was hard-deleted
};

/// Keys of one scope: `Key` is the scope and the key itself.
template <class Key>
class key_table {
   public:
    /// Null for a key that is not known (any more).
    [[nodiscard]] const keyed_event* find(const Key& key, wall_time now) const {
        const auto known = entries_.find(key);
        if (known == entries_.end() || has_expired(known->second, now)) {
            return nullptr;
        }
        return &known->second;
    }

    /// True if a stored event has the key.
    [[nodiscard]] bool is_taken(const Key& key) const {
        const auto known = entries_.find(key);
        return known != entries_.end() && !known->second.deleted_at;
    }

    void add(const Key& key, keyed_event entry) {
        by_event_.emplace(event_place{entry.room, entry.event}, key);
        entries_.insert_or_assign(key, std::move(entry));
    }

    /// From now on the keys of the event answer as deleted. What has expired is forgotten.
    void mark_deleted(const room_id& room, const event_id& event, wall_time now) {
        forget_expired(now);
        const auto [first, last] = by_event_.equal_range(event_place{room, event});
        for (auto place = first; place != last; ++place) {
            entries_.at(place->second).deleted_at = now;
            deleted_.push_back(place->second);
        }
        by_event_.erase(first, last);
    }

    void remove_room(const room_id& room) {
        std::erase_if(entries_, [&](const auto& entry) { return entry.second.room == room; });
        std::erase_if(by_event_, [&](const auto& place) { return place.first.first == room; });
        std::erase_if(deleted_, [&](const Key& key) { return !entries_.contains(key); });
    }

   private:
    using event_place = std::pair<room_id, event_id>;

    static bool has_expired(const keyed_event& entry, wall_time now) {
        return entry.deleted_at && now - *entry.deleted_at >= deleted_key_lifetime;
    }

    void forget_expired(wall_time now) {
        while (!deleted_.empty()) {
            const auto oldest = entries_.find(deleted_.front());
            // A key that a later event took is no longer on its way out.
            const bool is_deleted = oldest != entries_.end() && oldest->second.deleted_at;
            if (is_deleted && !has_expired(oldest->second, now)) {
                return;
            }
            if (is_deleted) {
                entries_.erase(oldest);
            }
            deleted_.pop_front();
        }
    }

    std::map<Key, keyed_event> entries_;
    std::multimap<event_place, Key> by_event_;  ///< of events that are stored
    std::deque<Key> deleted_;                   ///< longest ago first
};

}  // namespace convene
