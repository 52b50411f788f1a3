// SPDX-License-Identifier: Apache-2.0
// The SQL tables: the commit, the room head it is decided on, and idempotency keys.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/log.hpp"
#include "store/room_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/writes.hpp"

namespace convene::sql {

namespace {

using indexes_by_id = sql_tables::indexes_by_id;

indexes_by_id indexes_of(const std::vector<room_event>& events) {
    indexes_by_id indexes;
    indexes.reserve(events.size());
    for (const room_event& event : events) {
        indexes.emplace(event.id.str(), event.index);
    }
    return indexes;
}

bool is_planned(const delivery_row& row, const room_id& room, const indexes_by_id& indexes) {
    const auto event = indexes.find(row.event.str());
    return row.room == room && event != indexes.end() && event->second == row.index;
}

}  // namespace

// -- the commit --------------------------------------------------------------------------------------

result<ops::commit::answer> sql_tables::perform(const ops::commit& batch) {
    const wall_time now = clock_.now();
    // First: the session's row is locked before everything else.
    if (const result<> driven = append_to_session(batch, now); !driven) {
        return driven.error();
    }
    if (!are_guards_held(batch)) {
        return errc::claim_lost;
    }
    if (!move_counters(batch, now)) {
        return errc::room_changed;
    }
    if (const result<> appended = append_events(batch, now); !appended) {
        return appended.error();
    }
    const indexes_by_id indexes = indexes_of(batch.events);
    if (const result<> keyed = add_inbound_keys(batch, indexes); !keyed) {
        return keyed.error();
    }
    if (const result<> changed = apply_changes(batch); !changed) {
        return changed.error();
    }
    if (const result<> planned = add_deliveries(batch, indexes); !planned) {
        return planned.error();
    }
    if (const result<> added = add_items(batch, now); !added) {
        return added.error();
    }
    end_rows(batch);
    if (!batch.row_ends.empty()) {
        settle_cursor(batch.room);
    } else if (needs_nobody_at_first(batch)) {
        db_.run(
            note_who_committed_text,
            batch.room,
            batch.events.front().committed_by,
            batch.expected_next
        );
    }
    add_notices(batch.notices, now);
    if (batch.new_status != batch.expected_status) {
        if (std::optional<room> changed = find_room(batch.room)) {
            set_status(*changed, batch.new_status, now);
        }
    }
    consume_turns(batch);
    return ops::commit::answer{now};
}

bool sql_tables::are_guards_held(const ops::commit& batch) {
    return std::ranges::all_of(batch.guards, [&](const ops::commit::row_guard& guard) {
        return db_.exists(
            "SELECT 1 FROM deliveries WHERE room_id = ?1 AND id = ?2 AND state < 3 AND"
            " committed_by = ?3",
            batch.room,
            guard.row,
            guard.executor
        );
    });
}

/// The compare that the whole commit hangs on: it runs before anything is written.
bool sql_tables::move_counters(const ops::commit& batch, wall_time now) {
    const auto count = static_cast<std::int64_t>(batch.events.size());
    const bool is_current = db_.run(
                                move_counters_text,
                                batch.room,
                                batch.organization,
                                batch.expected_next,
                                batch.expected_config,
                                batch.expected_status,
                                batch.expected_lock_epoch,
                                count,
                                now,
                                batch.expected_organization_config
                            ) == 1;
    return is_current;
}

result<> sql_tables::append_events(const ops::commit& batch, wall_time now) {
    // R2, also while duplicates keep the database's index from being unique.
    if (!batch.events.empty() && has_event_from(batch.room, batch.expected_next)) {
        log(log_level::error,
            "duplicate_event_index",
            {{"room", batch.room}, {"index", batch.expected_next}});
        return errc::duplicate_index;
    }
    event_index expected = batch.expected_next;
    for (const room_event& added : batch.events) {
        if (added.index != expected) {
            const bool is_taken = batch.expected_next <= added.index && added.index < expected;
            return is_taken || has_event_at(batch.room, added.index) ? errc::duplicate_index
                                                                     : errc::invalid_argument;
        }
        if (added.room != batch.room) {
            return errc::invalid_argument;
        }
        const std::optional<std::int64_t> seq = insert_event(db_, added, now);
        if (!seq) {
            return why_refused(added);
        }
        add_to_search(batch.organization, *seq, added);
        name_attachments(added);
        expected = expected.next();
    }
    return {};
}

/// Of a known id and a known key the id counts first.
errc sql_tables::why_refused(const room_event& event) {
    const bool is_known = db_.exists("SELECT 1 FROM events WHERE id = ?1", event.id);
    return is_known ? errc::invalid_argument : errc::duplicate_key;
}

bool sql_tables::has_event_at(const room_id& room, event_index index) {
    return db_.exists("SELECT 1 FROM events WHERE room_id = ?1 AND \"index\" = ?2", room, index);
}

bool sql_tables::has_event_from(const room_id& room, event_index index) {
    return db_.exists("SELECT 1 FROM events WHERE room_id = ?1 AND \"index\" >= ?2", room, index);
}

result<> sql_tables::add_inbound_keys(const ops::commit& batch, const indexes_by_id& indexes) {
    for (const ops::commit::inbound_key& added : batch.inbound_keys) {
        const bool is_free = db_.run(
                                 take_inbound_key_text,
                                 batch.organization,
                                 added.channel,
                                 added.key,
                                 batch.room,
                                 added.event,
                                 added.request_hash
                             ) == 1;
        if (!is_free) {
            return errc::duplicate_key;
        }
        if (!indexes.contains(added.event.str())) {
            return errc::invalid_argument;
        }
    }
    return {};
}

result<> sql_tables::apply_changes(const ops::commit& batch) {
    for (const ops::target_change& change : batch.changes) {
        std::optional<stored_event> target = find_event(batch.room, change.target);
        if (!target) {
            return errc::target_event_not_found;
        }
        apply_change(batch.organization, *std::move(target), change);
    }
    return {};
}

void sql_tables::apply_change(
    const organization_id& organization, stored_event target, const ops::target_change& change
) {
    remove_from_search(organization, target);
    room_event& event = target.event;
    if (change.new_content) {
        event.content = *change.new_content;
        event.is_edited = true;
    } else {
        event.is_deleted = true;
    }
    db_.run(
        "UPDATE events SET content = ?2, is_edited = ?3, is_deleted = ?4 WHERE seq = ?1",
        target.seq,
        event.content.json(),
        event.is_edited,
        event.is_deleted
    );
    add_to_search(organization, target.seq, event);
    if (change.new_content) {
        name_attachments(event);
    }
}

result<> sql_tables::add_deliveries(const ops::commit& batch, const indexes_by_id& indexes) {
    for (const delivery_row& row : batch.deliveries) {
        if (!is_planned(row, batch.room, indexes)) {
            return errc::invalid_argument;
        }
        insert_delivery(db_, row);
    }
    return {};
}

result<> sql_tables::add_items(const ops::commit& batch, wall_time now) {
    for (const room_task& task : batch.tasks) {
        if (task.room != batch.room) {
            return errc::invalid_argument;
        }
        insert_task(write_, task, now);
    }
    for (const observation& observed : batch.observations) {
        if (observed.room != batch.room) {
            return errc::invalid_argument;
        }
        insert_observation(write_, observed, now);
    }
    return {};
}

void sql_tables::end_rows(const ops::commit& batch) {
    for (const ops::commit::row_end& end : batch.row_ends) {
        end_row(write_, batch.room, end);
    }
}

// -- what it is decided on ---------------------------------------------------------------------------

result<ops::load_room_head::answer> sql_tables::perform(const ops::load_room_head& request) {
    std::optional<room> found = find_room(request.organization, request.room);
    if (!found) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    ops::load_room_head::answer head{
        *std::move(found), {}, organization_config(request.organization), {}
    };
    head.deliverer = db_.value_of<incarnation_id>(
                            "SELECT w.incarnation FROM workers w, room_cursors c WHERE c.room_id = "
                            "?1"
                            " AND w.incarnation = c.claimer AND w.state = ?2 AND w.format >= ?3",
                            request.room,
                            ops::worker_state::live,
                            request.format
    )
                         .value_or(incarnation_id{});
    std::set<std::string_view> asked;
    for (const std::string& key : request.keys) {
        if (!asked.insert(key).second) {
            continue;
        }
        if (std::optional<ops::key_hit> hit = find_key(request.room, key, now)) {
            head.hits.push_back(*std::move(hit));
        }
    }
    return head;
}

std::optional<ops::key_hit> sql_tables::find_key(
    const room_id& room, const std::string& key, wall_time now
) {
    static const std::string live = select_events(
        "WHERE e.room_id = ?1 AND e.idempotency_key = ?2 AND e.idempotency_key <> ''"
    );
    query stored = db_.select(live, room, key);
    if (stored.next()) {
        room_event event = read_event(stored, db_);
        return ops::key_hit{key, event.request_hash, std::move(event)};
    }
    std::optional<std::string> hash = db_.value_of<std::string>(
        "SELECT request_hash FROM deleted_keys WHERE room_id = ?1 AND key = ?2 AND deleted_at > ?3",
        room,
        key,
        now - deleted_key_lifetime
    );
    return hash ? std::optional{ops::key_hit{key, *std::move(hash), std::nullopt}} : std::nullopt;
}

result<std::optional<ops::key_hit>> sql_tables::perform(const ops::find_inbound_key& request) {
    ops::key_hit hit{request.key, {}, std::nullopt};
    room_id room;
    event_id event;
    std::optional<wall_time> deleted_at;
    {
        query known = db_.select(
            "SELECT room_id, event_id, request_hash, deleted_at FROM inbound_keys"
            " WHERE organization_id = ?1 AND channel_id = ?2 AND key = ?3",
            request.organization,
            request.channel,
            request.key
        );
        if (!known.next()) {
            return std::optional<ops::key_hit>{};
        }
        known.read(room, event, hit.request_hash, deleted_at);
    }
    if (deleted_at) {
        const bool is_remembered = *deleted_at > clock_.now() - deleted_key_lifetime;
        return is_remembered ? std::optional{std::move(hit)} : std::nullopt;
    }
    if (std::optional<stored_event> stored = find_event(room, event)) {
        hit.event = std::move(stored->event);
    }
    return std::optional{std::move(hit)};
}

result<std::int64_t> sql_tables::perform(const ops::raise_lock_epoch& request) {
    const std::optional<std::int64_t> raised = db_.value_of<std::int64_t>(
        "UPDATE rooms SET lock_epoch = lock_epoch + 1 WHERE id = ?1 AND organization_id = ?2"
        " RETURNING lock_epoch",
        request.room,
        request.organization
    );
    if (!raised) {
        return errc::not_found;
    }
    return *raised;
}

}  // namespace convene::sql
