// SPDX-License-Identifier: Apache-2.0
// The outbound queue in memory: items by id, and the line in front of each address.
#pragma once

#include "convene/delivery.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace convene {

/// Items leave an address in the order of their ids.
class outbound_queue {
   public:
    using address = std::pair<channel_id, std::string>;

    /// Gives the item its id.
    std::int64_t add(outbound_item item);

    /// Null if there is no such item. Valid until it is removed.
    [[nodiscard]] outbound_item* find(std::int64_t id);

    /// *Requires*: the item is there.
    void remove(std::int64_t id);

    void remove_room(const room_id& room);
    void remove_event(const room_id& room, const event_id& event);

    struct line {
        address where;
        std::size_t waiting = 0;
        const outbound_item* head = nullptr;  ///< may be another room's
    };

    /// Every address with items, of this room if one is given, in the order of (channel, address). Only those are counted;
    /// the head is the address's.
    [[nodiscard]] std::vector<line> lines(const std::optional<room_id>& of) const;

    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

   private:
    template <class Predicate>
    void remove_if(Predicate matches);

    std::map<std::int64_t, outbound_item> items_;
    std::map<address, std::set<std::int64_t>> lines_;  ///< no empty sets
    std::int64_t last_id_ = 0;
};

}  // namespace convene
