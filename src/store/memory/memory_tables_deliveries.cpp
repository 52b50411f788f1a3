// SPDX-License-Identifier: Apache-2.0
// The memory tables: cursors, delivery rows, skips and the outbound queue.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

/// Only the outbound queue settles a row that was deferred to it.
bool may_change_after_queueing(const delivery_row& row) {
    return may_change(row) || row.state == delivery_state::deferred;
}

bool is_due(const outbound_item& item, wall_time now) { return item.not_before <= now; }

}  // namespace

// -- what the others build on -----------------------------------------------------------------

bool memory_tables::is_dead(const incarnation_id& worker) const {
    const auto known = workers_.find(worker);
    return known != workers_.end() && known->second.state == ops::worker_state::dead;
}

bool memory_tables::is_live(const incarnation_id& worker) const {
    const auto known = workers_.find(worker);
    return known != workers_.end() && known->second.state == ops::worker_state::live;
}

std::int32_t memory_tables::format_of(const incarnation_id& worker) const {
    const auto known = workers_.find(worker);
    return known == workers_.end() ? 0 : known->second.format;
}

bool memory_tables::is_ownerless(const incarnation_id& owner) const {
    return owner.empty() || is_dead(owner);
}

void memory_tables::store_result(const delivery_row& row, const ops::row_result& outcome) {
    delivery_row changed = row;
    changed.state = outcome.state;
    changed.attempts = outcome.attempts;
    changed.outcome = outcome.outcome;
    rows_.replace(std::move(changed));
}

void memory_tables::forget_who_the_cursor_waits_for(room_record& record) {
    if (!record.cursor_waits_for) {
        return;
    }
    const auto waiting = waiting_cursors_.find(*record.cursor_waits_for);
    waiting->second.erase(record.info.id);
    if (waiting->second.empty()) {
        waiting_cursors_.erase(waiting);
    }
    record.cursor_waits_for.reset();
}

void memory_tables::settle_cursor(room_record& record) {
    const room_event* const next = record.events.first_after(record.info.delivered_index);
    forget_who_the_cursor_waits_for(record);
    if (next == nullptr) {
        // What lies between the cursor and the end, if anything, was hard-deleted.
        record.info.delivered_index = record.info.latest_index;
    } else if (std::ranges::all_of(rows_.rows_of(record.info.id, next->id), [](const auto& row) {
                   return is_final(row.state);
               })) {
        record.cursor_waits_for = next->committed_by;
        waiting_cursors_[next->committed_by].insert(record.info.id);
    }
}

/// False without open rows: then there is nothing to own.
bool memory_tables::have_no_live_owner(const std::vector<delivery_row>& rows) const {
    bool has_open_rows = false;
    for (const delivery_row& row : rows) {
        if (is_final(row.state)) {
            continue;
        }
        if (!is_ownerless(row.committed_by)) {
            return false;
        }
        has_open_rows = true;
    }
    return has_open_rows;
}

// -- cursors ----------------------------------------------------------------------------------

result<delivery_cursor> memory_tables::apply(const ops::get_cursor& request) {
    const room_record* const record = find_room(request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    return cursor_of(*record);
}

result<delivery_cursor> memory_tables::apply(const ops::claim_cursor& request) {
    room_record* const record = find_room(request.room);
    if (record == nullptr || !holds_claim(*record, request.expected_epoch)) {
        return errc::claim_lost;
    }
    ++record->claim_epoch;
    record->claimer = request.claimer;
    record->takeovers = request.takeovers.value_or(record->takeovers);
    return cursor_of(*record);
}

result<std::vector<ops::load_lane::entry>> memory_tables::apply(const ops::load_lane& request) {
    std::vector<ops::load_lane::entry> lane;
    const room_record* const record = find_room(request.room);
    if (record == nullptr) {
        return lane;
    }
    const timeline::events_by_index& events = record->events.events();
    auto next = events.lower_bound(request.from);
    for (; next != events.end() && lane.size() < request.limit; ++next) {
        const room_event& event = next->second.event;
        std::vector<delivery_row> rows = rows_.rows_of(request.room, event.id);
        const bool owner_is_gone = have_no_live_owner(rows);
        const std::int32_t format = owner_is_gone ? format_of(event.committed_by) : 0;
        lane.push_back({event, std::move(rows), owner_is_gone, format});
    }
    return lane;
}

result<ops::finish_set::answer> memory_tables::apply(const ops::finish_set& request) {
    room_record* const record = find_room(request.room);
    if (record == nullptr) {
        return errc::claim_lost;
    }
    room& info = record->info;
    if (request.advance_to < request.index || request.advance_to > info.latest_index) {
        return errc::invalid_argument;
    }
    if (!holds_claim(*record, request.claim_epoch)) {
        return errc::claim_lost;
    }
    if (has_delivered(*record, request.advance_to)) {
        return ops::finish_set::answer{info.delivered_index};
    }
    if (!is_next_for_delivery(*record, request.index)) {
        return errc::claim_lost;
    }

    const wall_time now = clock_.now();
    for (const ops::row_result& outcome : request.results) {
        const delivery_row* const row = rows_.find(request.room, outcome.id);
        if (row != nullptr && may_change(*row)) {
            store_result(*row, outcome);
        }
    }
    for (const outbound_item& item : request.deferred) {
        outbound_.add(item);
    }
    if (request.skip) {
        delivery_skip& skip = skips_.emplace_back(*request.skip);
        skip.id = ++last_skip_;
        skip.created_at = now;
    }
    add_notices(request.notices, now);
    info.delivered_index = request.advance_to;
    record->takeovers = 0;
    settle_cursor(*record);
    return ops::finish_set::answer{info.delivered_index};
}

// -- rows -------------------------------------------------------------------------------------

result<std::monostate> memory_tables::apply(const ops::put_results& request) {
    for (const ops::row_result& outcome : request.results) {
        const delivery_row* const row = rows_.find(request.room, outcome.id);
        if (row != nullptr && is_executed_by(*row, request.executor) && may_change(*row)) {
            store_result(*row, outcome);
        }
    }
    if (room_record* const record = find_room(request.room)) {
        settle_cursor(*record);
    }
    add_notices(request.notices, clock_.now());
    return std::monostate{};
}

result<std::vector<delivery_row>> memory_tables::apply(const ops::adopt_rows& request) {
    std::vector<delivery_row> adopted;
    for (const incarnation_id& owner : rows_.owners_of_open_rows()) {
        if (is_ownerless(owner) || owner == request.new_owner) {
            std::ranges::move(
                rows_.open_rows_of(owner, request.room, request.through),
                std::back_inserter(adopted)
            );
        }
    }
    std::erase_if(adopted, [&](const delivery_row& row) {
        const room_record* const record = find_room(row.room);
        const room_event* const of_row = record == nullptr ? nullptr
                                                           : record->events.find(row.event);
        return of_row != nullptr && format_of(of_row->committed_by) > request.newest_format;
    });
    std::ranges::sort(adopted, {}, [](const delivery_row& row) {
        return std::pair{row.index, row.id};
    });
    for (delivery_row& row : adopted) {
        row.committed_by = request.new_owner;
        rows_.replace(row);
    }
    return adopted;
}

result<std::int64_t> memory_tables::apply(const ops::release_rows& request) {
    std::vector<delivery_row> released = rows_.open_rows_of(request.owner);
    for (delivery_row& row : released) {
        row.committed_by = incarnation_id{};
        rows_.replace(std::move(row));
    }
    return static_cast<std::int64_t>(released.size());
}

result<std::vector<ops::find_orphaned_rooms::item>> memory_tables::apply(
    const ops::find_orphaned_rooms& request
) {
    // The first `limit` of each kind hold the first `limit` of all.
    std::set<room_id> orphaned;
    for (const incarnation_id& owner : rows_.owners_of_open_rows()) {
        if (is_ownerless(owner) || owner == request.also_of) {
            const auto rooms = rows_.rooms_with_open_rows_of(owner, request.after, request.limit);
            orphaned.insert(rooms.begin(), rooms.end());
        }
    }
    for (const auto& [worker, rooms] : waiting_cursors_) {
        if (is_dead(worker) || worker == request.also_of) {
            auto next = rooms.upper_bound(request.after);
            for (std::size_t i = 0; i < request.limit && next != rooms.end(); ++i, ++next) {
                orphaned.insert(*next);
            }
        }
    }

    std::vector<ops::find_orphaned_rooms::item> found;
    for (const room_id& id : orphaned) {
        if (found.size() == request.limit) {
            break;
        }
        found.push_back({find_room(id)->info.organization, id});
    }
    return found;
}

result<std::vector<delivery_row>> memory_tables::apply(const ops::list_deliveries& request) {
    return rows_.rows_of(request.room, request.event);
}

result<std::vector<delivery_skip>> memory_tables::apply(const ops::list_skips& request) {
    std::vector<delivery_skip> found;
    for (const delivery_skip& skip : skips_) {
        const bool is_asked = skip.id > request.after &&
                              (!request.room || skip.room == *request.room);
        if (is_asked && found.size() < request.limit) {
            found.push_back(skip);
        }
    }
    return found;
}

// -- the outbound queue -----------------------------------------------------------------------

result<std::int64_t> memory_tables::apply(const ops::put_outbound& request) {
    return outbound_.add(request.item);
}

result<std::vector<outbound_item>> memory_tables::apply(const ops::take_due_outbound& request) {
    const wall_time now = clock_.now();
    std::vector<outbound_item> due;
    for (const outbound_queue::line& line : outbound_.lines(std::nullopt)) {
        if (is_due(*line.head, now)) {
            due.push_back(*line.head);
        }
    }
    std::ranges::sort(due, {}, [](const outbound_item& item) {
        return std::tie(item.not_before, item.id);
    });
    due.resize(std::min(due.size(), request.limit));
    std::ranges::sort(due, {}, &outbound_item::id);
    return due;
}

result<bool> memory_tables::apply(const ops::finish_outbound& request) {
    outbound_item* const item = outbound_.find(request.id);
    if (item == nullptr) {
        return false;
    }
    if (request.retry_at) {
        if (item->attempts != request.seen_attempts) {
            return false;
        }
        item->not_before = *request.retry_at;
        item->attempts = request.result.attempts;
        item->last_error = request.result.outcome.error_message;
        return true;
    }
    const delivery_row* const row = rows_.find(item->room, item->delivery);
    if (row != nullptr && may_change_after_queueing(*row)) {
        store_result(*row, request.result);
    }
    outbound_.remove(request.id);
    return true;
}

result<std::vector<ops::list_outbound_addresses::item>> memory_tables::apply(
    const ops::list_outbound_addresses& request
) {
    std::vector<ops::list_outbound_addresses::item> found;
    for (const outbound_queue::line& line : outbound_.lines(request.room)) {
        const auto& [channel, address] = line.where;
        auto& listed = found.emplace_back();
        listed.channel = channel;
        listed.address = address;
        listed.waiting = static_cast<std::int64_t>(line.waiting);
        if (!request.room || line.head->room == *request.room) {
            listed.next_due = line.head->not_before;
        }
    }
    return found;
}

// -- hook marks -------------------------------------------------------------------------------

result<std::int32_t> memory_tables::apply(const ops::mark_hook& request) {
    return ++hook_marks_[{request.hook, request.event_key}];
}

result<std::monostate> memory_tables::apply(const ops::clear_hook_mark& request) {
    hook_marks_.erase({request.hook, request.event_key});
    return std::monostate{};
}

}  // namespace convene
