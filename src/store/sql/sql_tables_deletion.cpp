// SPDX-License-Identifier: Apache-2.0
// The SQL tables: deleting an event for good.
#include <utility>

#include "store/room_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

// Forgotten with one deletion; more wait for the next.
constexpr int max_forgotten_keys = 100;

}  // namespace

result<std::vector<event_id>> sql_tables::perform(const ops::delete_event& request) {
    std::vector<event_id> removed;
    std::optional<stored_event> root = find_event(request.room, request.id);
    if (!root || !has_room(request.organization, request.room)) {
        return removed;
    }
    std::vector<stored_event> leaving{*std::move(root)};
    if (request.cascade) {
        static const std::string replies = select_events(
            "WHERE e.room_id = ?1 AND e.parent_id = ?2 AND e.parent_id <> ''"
            " AND e.id <> ?2 ORDER BY e.\"index\""
        );
        query rows = db_.select(replies, request.room, request.id);
        while (rows.next()) {
            leaving.push_back(read_stored_event(rows, db_));
        }
    }
    const wall_time now = clock_.now();
    forget_expired_keys(now);
    for (stored_event& erased : leaving) {
        erase_event(request.organization, erased, now);
        removed.push_back(std::move(erased.event.id));
    }
    settle_cursor(request.room);
    return removed;
}

void sql_tables::erase_event(
    const organization_id& organization, const stored_event& erased, wall_time now
) {
    const room_event& event = erased.event;
    remove_from_search(organization, erased);
    db_.run("DELETE FROM events WHERE seq = ?1", erased.seq);
    db_.run(
        "INSERT INTO deleted_events (room_id, \"index\", event_id, deleted_at) VALUES (?1, ?2, ?3,"
        " ?4)",
        event.room,
        event.index,
        event.id,
        now
    );
    if (!event.idempotency_key.empty()) {
        db_.run(
            "INSERT INTO deleted_keys (room_id, key, request_hash, deleted_at) VALUES (?1, ?2, ?3,"
            " ?4) ON CONFLICT (room_id, key) DO UPDATE SET request_hash = ?3, deleted_at = ?4",
            event.room,
            event.idempotency_key,
            event.request_hash,
            now
        );
    }
    db_.run(
        "UPDATE inbound_keys SET deleted_at = ?3 WHERE event_id = ?2 AND room_id = ?1",
        event.room,
        event.id,
        now
    );
    // What may still change, and what the outbound queue was going to change.
    db_.run(
        "UPDATE deliveries SET state = 6, provider_message_id = '', error_code = 'event_deleted',"
        " error_message = '', is_retryable = 0"
        " WHERE room_id = ?1 AND \"index\" = ?2 AND event_id = ?3 AND (state < 3 OR state = 5)",
        event.room,
        event.index,
        event.id
    );
    remove_outbound_of(event.room, event.id);
    db_.run(
        "DELETE FROM delivery_receipts WHERE room_id = ?1 AND event_id = ?2", event.room, event.id
    );
    forget_names(event.id, now);
}

void sql_tables::forget_expired_keys(wall_time now) {
    const wall_time expired = now - deleted_key_lifetime;
    db_.run(
        "DELETE FROM deleted_keys WHERE (room_id, key) IN (SELECT room_id, key FROM deleted_keys"
        " WHERE deleted_at <= ?1 ORDER BY deleted_at LIMIT ?2)",
        expired,
        max_forgotten_keys
    );
    db_.run(
        "DELETE FROM inbound_keys WHERE (organization_id, channel_id, key) IN"
        " (SELECT organization_id, channel_id, key FROM inbound_keys"
        " WHERE deleted_at IS NOT NULL AND deleted_at <= ?1 ORDER BY deleted_at LIMIT ?2)",
        expired,
        max_forgotten_keys
    );
}

}  // namespace convene::sql
