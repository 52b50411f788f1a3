// SPDX-License-Identifier: Apache-2.0
// Delivery rows in memory, and which worker owns those that are not final.
#pragma once

#include "convene/delivery.hpp"

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene {

/// D7, L7: a final row never changes again.
[[nodiscard]] bool may_change(const delivery_row& row);

/// L7: only the worker that a row belongs to stores its result.
[[nodiscard]] bool is_executed_by(const delivery_row& row, const incarnation_id& executor);

/// The rows of all rooms. Lists come in the order of (index, delivery id).
///
/// *Complexity*: everything costs O(log rows) and what it answers; nothing looks at rows that are
/// final and not asked for.
class delivery_table {
   public:
    [[nodiscard]] bool contains(const delivery_id& id) const { return rows_.contains(id); }

    /// *Requires*: the id is not known.
    void add(delivery_row row);

    /// Null if the room has no such row. Valid until the row is replaced or removed.
    [[nodiscard]] const delivery_row* find(const room_id& room, const delivery_id& id) const;

    /// Stores the row in place of the one with its id. *Requires*: room, event and index are the
    /// same.
    void replace(delivery_row row);

    /// Also of an event that was deleted since.
    [[nodiscard]] std::vector<delivery_row> rows_of(const room_id& room, const event_id& event)
        const;

    /// Rows that are not final. The empty owner owns what was handed over.
    [[nodiscard]] std::vector<delivery_row> open_rows_of(const incarnation_id& owner) const;
    [[nodiscard]] std::vector<delivery_row> open_rows_of(
        const incarnation_id& owner, const room_id& room, event_index through
    ) const;
    [[nodiscard]] std::vector<incarnation_id> owners_of_open_rows() const;

    /// At most `limit` rooms behind `after` in which `owner` has such rows, ascending.
    [[nodiscard]] std::vector<room_id> rooms_with_open_rows_of(
        const incarnation_id& owner, const room_id& after, std::size_t limit
    ) const;

    [[nodiscard]] std::size_t count_open_rows() const;

    void remove_room(const room_id& room);
    void remove_event(const room_id& room, const event_id& event);

   private:
    /// The place of an open row.
    struct position {
        room_id room;
        event_index index;
        delivery_id id;

        friend auto operator<=>(const position&, const position&) = default;
    };

    using positions = std::set<position>;
    using event_place = std::pair<room_id, event_id>;

    static position position_of(const delivery_row& row) { return {row.room, row.index, row.id}; }

    [[nodiscard]] const positions& open_positions_of(const incarnation_id& owner) const;
    void list_if_open(const delivery_row& row);
    void unlist(const delivery_row& row);

    std::unordered_map<delivery_id, delivery_row> rows_;
    std::map<event_place, std::set<delivery_id>> by_event_;
    std::map<incarnation_id, positions> open_by_owner_;  ///< no empty sets
};

}  // namespace convene
