// SPDX-License-Identifier: Apache-2.0
// The memory tables: the commit, the room head it is decided on, and idempotency keys.
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/mutant.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

using ids_of_batch = std::unordered_map<event_id, event_index>;

ids_of_batch ids_of(const std::vector<room_event>& events) {
    ids_of_batch ids;
    for (const room_event& event : events) {
        ids.emplace(event.id, event.index);
    }
    return ids;
}

/// A change may name an event of its own batch.
result<> check_changes(
    const room_record& record, const ops::commit& batch, const ids_of_batch& ids
) {
    for (const ops::target_change& change : batch.changes) {
        if (!ids.contains(change.target) && record.events.find(change.target) == nullptr) {
            return errc::target_event_not_found;
        }
    }
    return {};
}

/// Tasks or observations: of this room, and not there yet.
template <class Item, class Map>
result<> check_items(const room_id& room, const std::vector<Item>& items, const Map& stored) {
    std::unordered_set<typename Map::key_type> ids;
    for (const Item& item : items) {
        if (item.room != room || stored.contains(item.id) || !ids.insert(item.id).second) {
            return errc::invalid_argument;
        }
    }
    return {};
}

template <class Item, class Map>
void add_items(const std::vector<Item>& items, Map& stored, wall_time now) {
    for (Item item : items) {
        item.created_at = now;
        stored.emplace(item.id, std::move(item));
    }
}

void apply_change(timeline& events, const ops::target_change& change) {
    room_event& target = *events.find(change.target);
    if (change.new_content) {
        target.content = *change.new_content;
        target.is_edited = true;
    } else {
        target.is_deleted = true;
    }
}

void move_counters(room& info, const ops::commit& batch, wall_time now) {
    if (batch.events.empty()) {
        return;
    }
    info.event_count += static_cast<std::int64_t>(batch.events.size());
    info.latest_index = batch.events.back().index;
    info.next_index = info.latest_index.next();
    info.last_activity_at = now;
}

}  // namespace

// -- what a commit checks ---------------------------------------------------------------------

result<> memory_tables::check_guards(const ops::commit& batch) const {
    for (const ops::commit::row_guard& guard : batch.guards) {
        const delivery_row* const row = rows_.find(batch.room, guard.row);
        if (row == nullptr || !is_executed_by(*row, guard.executor) || !may_change(*row)) {
            return errc::claim_lost;
        }
    }
    return {};
}

result<> memory_tables::check_events(const room_record& record, const ops::commit& batch) const {
    std::unordered_set<event_id> ids;
    std::unordered_set<std::string> keys;
    event_index expected = batch.expected_next;
    for (const room_event& event : batch.events) {
        if (event.index != expected) {
            const bool is_taken = record.events.has(event.index) ||
                                  (batch.expected_next <= event.index && event.index < expected);
            return is_taken ? errc::duplicate_index : errc::invalid_argument;
        }
        const bool is_known = event_ids_.contains(event.id);
        if (event.room != batch.room || is_known || !ids.insert(event.id).second) {
            return errc::invalid_argument;
        }
        const std::string& key = event.idempotency_key;
        if (!key.empty() && (room_keys_.is_taken({batch.room, key}) || !keys.insert(key).second)) {
            return errc::duplicate_key;
        }
        expected = expected.next();
    }
    return {};
}

result<> memory_tables::check_inbound_keys(const ops::commit& batch, const ids_of_batch& ids)
    const {
    std::set<inbound_key> keys;
    for (const ops::commit::inbound_key& inbound : batch.inbound_keys) {
        inbound_key key{batch.organization, inbound.channel, inbound.key};
        if (inbound_keys_.is_taken(key) || !keys.insert(std::move(key)).second) {
            return errc::duplicate_key;
        }
        if (!ids.contains(inbound.event)) {
            return errc::invalid_argument;
        }
    }
    return {};
}

result<> memory_tables::check_deliveries(const ops::commit& batch, const ids_of_batch& ids) const {
    std::unordered_set<delivery_id> seen;
    for (const delivery_row& row : batch.deliveries) {
        const auto event = ids.find(row.event);
        const bool is_of_batch = event != ids.end() && event->second == row.index &&
                                 row.room == batch.room;
        if (!is_of_batch || rows_.contains(row.id) || !seen.insert(row.id).second) {
            return errc::invalid_argument;
        }
    }
    return {};
}

result<> memory_tables::check_session(const ops::commit& batch) {
    for (const ops::commit::session_append& append : batch.session) {
        if (!is_delta(append.delta)) {
            return errc::invalid_argument;
        }
    }
    for (const ops::commit::session_append& append : batch.session) {
        const bool is_driven = sessions_.find_driven(batch.room, append.epoch) != nullptr;
        if (!is_driven && !CONVENE_MUTANT("append_without_epoch")) {
            return errc::driver_fenced;
        }
    }
    return {};
}

// -- the commit -------------------------------------------------------------------------------

/// *Requires*: `check_session`.
void memory_tables::append_to_session(const ops::commit& batch, wall_time now) {
    if (batch.session.empty()) {
        return;
    }
    const auto count = static_cast<std::int64_t>(batch.session.size());
    sessions_.append(*sessions_.find(batch.room), count, combine(batch.session), now);
    for (const ops::commit::session_append& append : batch.session) {
        session_turn* const turn = sessions_.find_turn(append.consumes);
        if (turn != nullptr && turn->room == batch.room && turn->status == turn_status::running &&
            turn->epoch == append.epoch) {
            turn->is_input_consumed = true;
        }
    }
}

void memory_tables::append_events(room_record& record, const ops::commit& batch, wall_time now) {
    for (room_event event : batch.events) {
        event.created_at = now;
        if (!event.idempotency_key.empty()) {
            room_keys_.add(
                {batch.room, event.idempotency_key},
                {batch.room, event.id, event.request_hash, std::nullopt}
            );
        }
        event_ids_.insert(event.id);
        attachments_.name(batch.room, event.id, event.content);
        record.events.append({std::move(event), ++last_commit_order_});
    }
    for (const ops::commit::inbound_key& inbound : batch.inbound_keys) {
        inbound_keys_.add(
            {batch.organization, inbound.channel, inbound.key},
            {batch.room, inbound.event, inbound.request_hash, std::nullopt}
        );
    }
}

void memory_tables::end_rows(const ops::commit& batch) {
    for (const ops::commit::row_end& end : batch.row_ends) {
        const delivery_row* const row = rows_.find(batch.room, end.row);
        if (row != nullptr && may_change(*row)) {
            store_result(*row, {end.row, end.state, end.attempts, row->outcome});
        }
    }
}

result<ops::commit::answer> memory_tables::apply(const ops::commit& batch) {
    if (const result<> driven = check_session(batch); !driven) {
        return driven.error();
    }
    if (const result<> guarded = check_guards(batch); !guarded) {
        return guarded.error();
    }
    room_record* const record = find_room(batch.organization, batch.room);
    if (record == nullptr || !is_current(*record, batch) ||
        organization_config(batch.organization) != batch.expected_organization_config) {
        return errc::room_changed;
    }
    const ids_of_batch ids = ids_of(batch.events);
    for (const result<>& checked :
         {check_events(*record, batch),
          check_inbound_keys(batch, ids),
          check_changes(*record, batch, ids),
          check_deliveries(batch, ids),
          check_items(batch.room, batch.tasks, record->tasks),
          check_items(batch.room, batch.observations, record->observations)}) {
        if (!checked) {
            return checked.error();
        }
    }

    // From here on nothing fails: all of the batch is stored.
    const wall_time now = clock_.now();
    append_to_session(batch, now);
    append_events(*record, batch, now);
    for (const ops::target_change& change : batch.changes) {
        apply_change(record->events, change);
        if (change.new_content) {
            attachments_.name(batch.room, change.target, *change.new_content);
        }
    }
    for (const delivery_row& row : batch.deliveries) {
        rows_.add(row);
    }
    end_rows(batch);
    add_items(batch.tasks, record->tasks, now);
    add_items(batch.observations, record->observations, now);
    add_notices(batch.notices, now);
    move_counters(record->info, batch, now);
    if (batch.new_status != record->info.status) {
        set_status(*record, batch.new_status, now);
    }
    if (!CONVENE_MUTANT("cursor_waits_for_nobody")) {
        settle_cursor(*record);
    }
    return ops::commit::answer{now};
}

// -- what it is decided on --------------------------------------------------------------------

const room_event* memory_tables::find_event(const keyed_event& place) {
    const room_record* const record = find_room(place.room);
    return record == nullptr ? nullptr : record->events.find(place.event);
}

ops::key_hit memory_tables::hit_of(std::string key, const keyed_event& entry) {
    ops::key_hit hit{std::move(key), entry.request_hash, std::nullopt};
    if (!entry.deleted_at) {
        hit.event = *find_event(entry);
    }
    return hit;
}

result<ops::load_room_head::answer> memory_tables::apply(const ops::load_room_head& request) {
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    ops::load_room_head::answer head{
        record->info,
        {},
        organization_config(request.organization),
        is_live(record->claimer) && format_of(record->claimer) >= request.format ? record->claimer
                                                                                 : incarnation_id{}
    };
    std::unordered_set<std::string> asked;
    for (const std::string& key : request.keys) {
        const keyed_event* const known = room_keys_.find({request.room, key}, now);
        if (known != nullptr && asked.insert(key).second) {
            head.hits.push_back(hit_of(key, *known));
        }
    }
    return head;
}

result<std::optional<ops::key_hit>> memory_tables::apply(const ops::find_inbound_key& request) {
    const keyed_event* const known = inbound_keys_.find(
        {request.organization, request.channel, request.key}, clock_.now()
    );
    if (known == nullptr) {
        return std::optional<ops::key_hit>{};
    }
    return std::optional{hit_of(request.key, *known)};
}

result<std::int64_t> memory_tables::apply(const ops::raise_lock_epoch& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    return ++record->info.lock_epoch;
}

}  // namespace convene
