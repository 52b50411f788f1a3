// SPDX-License-Identifier: Apache-2.0
// Statements that need no answer to go on: for a session that runs them one by one, and for a request that sends many.
//
// `write(sql, value, ...)` is what becomes of each.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "store/operations/timeline.hpp"
#include "store/room_rules.hpp"

namespace convene::sql {

/// The compare that a whole commit hangs on: organisation, next index, the two config versions, status, and the epoch of
/// the lock where one is given.
inline constexpr std::string_view move_counters_text =
    "UPDATE rooms SET next_index = next_index + ?7, event_count = event_count + ?7,"
    " latest_index = latest_index + ?7,"
    " last_activity_at = CASE WHEN ?7 > 0 THEN ?8 ELSE last_activity_at END"
    " WHERE id = ?1 AND organization_id = ?2 AND next_index = ?3 AND config_version = ?4"
    " AND status = ?5 AND (?6 IS NULL OR lock_epoch = ?6) AND ?9 = coalesce((SELECT"
    " o.config_version FROM organization_configs o WHERE o.organization_id = ?2), 0)";

/// The key of an event that was deleted for good may be taken again; else nothing is changed.
inline constexpr std::string_view take_inbound_key_text =
    "INSERT INTO inbound_keys (organization_id, channel_id, key, room_id, event_id, request_hash)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (organization_id, channel_id, key) DO UPDATE SET"
    " room_id = ?4, event_id = ?5, request_hash = ?6, deleted_at = NULL WHERE"
    " inbound_keys.deleted_at IS NOT NULL";

template <class Write>
void insert_task(Write&& write, const room_task& added, wall_time now) {
    write(
        "INSERT INTO tasks (room_id, id, title, description, assigned_to, status, created_at,"
        " metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        added.room,
        added.id,
        added.title,
        added.description,
        added.assigned_to,
        added.status,
        now,
        added.metadata
    );
}

template <class Write>
void insert_observation(Write&& write, const observation& added, wall_time now) {
    write(
        "INSERT INTO observations (room_id, id, channel_id, content, category, confidence,"
        " created_at, metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        added.room,
        added.id,
        added.channel,
        added.content,
        added.category,
        added.confidence,
        now,
        added.metadata
    );
}

/// A room that was up to date waits for its first new event; where that has no row that would tell of whom, the cursor
/// does. Most rooms' cursors never change for a commit. Room, who committed, the index of the first.
inline constexpr std::string_view note_who_committed_text =
    "UPDATE room_cursors SET waits_for = ?2 WHERE room_id = ?1 AND waits_for IS NULL AND NOT EXISTS"
    " (SELECT 1 FROM events e WHERE e.room_id = ?1 AND e.\"index\" > delivered_index AND "
    "e.\"index\""
    " < ?3)";

/// Whether the first event of a batch has no open row.
[[nodiscard]] inline bool needs_nobody_at_first(const ops::commit& batch) {
    return !batch.events.empty() &&
           std::ranges::none_of(batch.deliveries, [&batch](const delivery_row& row) {
               return row.event == batch.events.front().id && !is_final(row.state);
           });
}

template <class Write>
void insert_notice(Write&& write, const framework_event& added, wall_time now) {
    write(
        "INSERT INTO framework_events (type, organization_id, room_id, event_id, created_at, data)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        added.type,
        added.organization,
        added.room,
        added.event,
        now,
        added.data
    );
}

/// The input of a driver's turn is in the timeline now.
template <class Write>
void consume_turn(Write&& write, const room_id& room, const ops::commit::session_append& append) {
    write(
        "UPDATE turns SET is_input_consumed = 1 WHERE id = ?1 AND room_id = ?2 AND"
        " epoch = ?3 AND status = 2",
        append.consumes,
        room,
        append.epoch
    );
}

template <class Write>
void end_row(Write&& write, const room_id& room, const ops::commit::row_end& end) {
    write(
        "UPDATE deliveries SET state = ?3, attempts = ?4 WHERE room_id = ?1 AND id = ?2 AND state"
        " < 3",
        room,
        end.row,
        end.state,
        end.attempts
    );
}

template <class Write>
void save_settings(Write&& write, const room& changed) {
    write(
        "UPDATE rooms SET status = ?2, config_version = ?3, inactive_after = ?4, closed_after = ?5,"
        " responses = ?6, updated_at = ?7, paused_at = ?8, closed_at = ?9 WHERE id = ?1",
        changed.id,
        changed.status,
        changed.config,
        changed.timers.inactive_after,
        changed.timers.closed_after,
        changed.responses,
        changed.updated_at,
        changed.paused_at,
        changed.closed_at
    );
}

template <class Write>
void arm_timer(Write&& write, const room& changed) {
    if (const std::optional<wall_time> due = timer_due_at(changed)) {
        write(
            "INSERT INTO room_timers (room_id, due_at) VALUES (?1, ?2)"
            " ON CONFLICT (room_id) DO UPDATE SET due_at = ?2",
            changed.id,
            *due
        );
    } else {
        write("DELETE FROM room_timers WHERE room_id = ?1", changed.id);
    }
}

/// The room with its new status, its bindings and its timer.
template <class Write>
void set_status(Write&& write, room& changed, room_status status, wall_time now) {
    change_status(changed, status, now);
    save_settings(write, changed);
    write(
        "UPDATE bindings SET room_is_open = ?2 WHERE room_id = ?1 AND room_is_open <> ?2",
        changed.id,
        is_open(status)
    );
    arm_timer(write, changed);
}

}  // namespace convene::sql
