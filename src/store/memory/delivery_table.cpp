// SPDX-License-Identifier: Apache-2.0
// Keeps delivery rows and the owners of open ones in step.
#include "store/memory/delivery_table.hpp"

#include <limits>

#include "base/assert.hpp"

namespace convene {

namespace {

constexpr event_index beyond_all_indexes{std::numeric_limits<std::int64_t>::max()};

}  // namespace

bool may_change(const delivery_row& row) { return !is_final(row.state); }

bool is_executed_by(const delivery_row& row, const incarnation_id& executor) {
    return row.committed_by == executor;
}

const delivery_table::positions& delivery_table::open_positions_of(const incarnation_id& owner
) const {
    static const positions none;
    const auto owned = open_by_owner_.find(owner);
    return owned == open_by_owner_.end() ? none : owned->second;
}

void delivery_table::list_if_open(const delivery_row& row) {
    if (may_change(row)) {
        open_by_owner_[row.committed_by].insert(position_of(row));
    }
}

void delivery_table::unlist(const delivery_row& row) {
    const auto owned = open_by_owner_.find(row.committed_by);
    if (owned == open_by_owner_.end()) {
        return;
    }
    owned->second.erase(position_of(row));
    if (owned->second.empty()) {
        open_by_owner_.erase(owned);
    }
}

void delivery_table::add(delivery_row row) {
    list_if_open(row);
    by_event_[{row.room, row.event}].insert(row.id);
    delivery_id id = row.id;
    const bool is_new = rows_.emplace(std::move(id), std::move(row)).second;
    CONVENE_ASSERT(is_new, "a delivery row was added twice");
}

const delivery_row* delivery_table::find(const room_id& room, const delivery_id& id) const {
    const auto row = rows_.find(id);
    return row == rows_.end() || row->second.room != room ? nullptr : &row->second;
}

void delivery_table::replace(delivery_row row) {
    const auto stored = rows_.find(row.id);
    CONVENE_ASSERT(stored != rows_.end(), "a delivery row that is not there was replaced");
    unlist(stored->second);
    list_if_open(row);
    stored->second = std::move(row);
}

std::vector<delivery_row> delivery_table::rows_of(const room_id& room, const event_id& event)
    const {
    std::vector<delivery_row> found;
    const auto ids = by_event_.find({room, event});
    if (ids == by_event_.end()) {
        return found;
    }
    for (const delivery_id& id : ids->second) {
        found.push_back(rows_.at(id));
    }
    return found;
}

std::vector<delivery_row> delivery_table::open_rows_of(const incarnation_id& owner) const {
    std::vector<delivery_row> found;
    for (const position& at : open_positions_of(owner)) {
        found.push_back(rows_.at(at.id));
    }
    return found;
}

std::vector<delivery_row> delivery_table::open_rows_of(
    const incarnation_id& owner, const room_id& room, event_index through
) const {
    std::vector<delivery_row> found;
    const positions& owned = open_positions_of(owner);
    auto at = owned.lower_bound({room, event_index::none(), {}});
    for (; at != owned.end() && at->room == room && at->index <= through; ++at) {
        found.push_back(rows_.at(at->id));
    }
    return found;
}

std::vector<incarnation_id> delivery_table::owners_of_open_rows() const {
    std::vector<incarnation_id> owners;
    owners.reserve(open_by_owner_.size());
    for (const auto& [owner, owned] : open_by_owner_) {
        owners.push_back(owner);
    }
    return owners;
}

std::vector<room_id> delivery_table::rooms_with_open_rows_of(
    const incarnation_id& owner, const room_id& after, std::size_t limit
) const {
    std::vector<room_id> rooms;
    const positions& owned = open_positions_of(owner);
    // One step per room, however many rows it has.
    auto at = owned.upper_bound({after, beyond_all_indexes, {}});
    while (at != owned.end() && rooms.size() < limit) {
        rooms.push_back(at->room);
        at = owned.upper_bound({at->room, beyond_all_indexes, {}});
    }
    return rooms;
}

std::size_t delivery_table::count_open_rows() const {
    std::size_t count = 0;
    for (const auto& [owner, owned] : open_by_owner_) {
        count += owned.size();
    }
    return count;
}

void delivery_table::remove_event(const room_id& room, const event_id& event) {
    const auto known = by_event_.find({room, event});
    if (known == by_event_.end()) {
        return;
    }
    for (const delivery_id& id : known->second) {
        const auto row = rows_.find(id);
        unlist(row->second);
        rows_.erase(row);
    }
    by_event_.erase(known);
}

void delivery_table::remove_room(const room_id& room) {
    auto event = by_event_.lower_bound({room, {}});
    while (event != by_event_.end() && event->first.first == room) {
        for (const delivery_id& id : event->second) {
            const auto row = rows_.find(id);
            unlist(row->second);
            rows_.erase(row);
        }
        event = by_event_.erase(event);
    }
}

}  // namespace convene
