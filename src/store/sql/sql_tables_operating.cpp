// SPDX-License-Identifier: Apache-2.0
// The SQL tables: what operators do by hand, and changing an identity.
#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/metadata.hpp"
#include "store/skip_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

result<ops::probe_store::found> sql_tables::perform(const ops::probe_store&) {
    return ops::probe_store::found{stored_schema_version()};
}

result<ops::note_restore::outcome> sql_tables::perform(const ops::note_restore&) {
    ops::note_restore::outcome done;
    done.rooms = db_.run(
        "UPDATE rooms SET timeline_epoch = timeline_epoch + 1, lock_epoch = lock_epoch + 1"
    );
    db_.run("UPDATE room_cursors SET claim_epoch = claim_epoch + 1");
    db_.run("UPDATE sessions SET driver_epoch = driver_epoch + 1");
    done.workers = db_.run(
        "UPDATE workers SET state = ?1 WHERE state <> ?1", ops::worker_state::dead
    );
    return done;
}

result<ops::replay_skip::outcome> sql_tables::perform(const ops::replay_skip& request) {
    ops::replay_skip::outcome done;
    std::string events;
    {
        bool is_replayed = false;
        query skip = db_.select(
            "SELECT room_id, events, is_replayed FROM delivery_skips WHERE id = ?1", request.id
        );
        if (!skip.next()) {
            return errc::not_found;
        }
        skip.read(done.room, events, is_replayed);
        done.is_replayed_before = is_replayed;
    }
    if (!has_room(request.organization, done.room)) {
        return errc::not_found;
    }
    if (done.is_replayed_before) {
        return done;
    }
    // Both lists are short: a skip is a hole of one worker's, and a set its targets.
    static const std::string rows_of_event = select_deliveries(
        "WHERE room_id = ?1 AND event_id = ?2 ORDER BY id"
    );
    std::vector<delivery_row> rows;
    for (const std::string& event : list_of_text(db_, events)) {
        std::ranges::move(
            collect(db_.select(rows_of_event, done.room, event), read_delivery),
            std::back_inserter(rows)
        );
    }
    std::ranges::sort(rows, {}, [](const delivery_row& row) {
        return std::tie(row.index, row.id);
    });
    for (const delivery_row& row : rows) {
        const bool is_stored = db_.exists(
            "SELECT 1 FROM events WHERE id = ?1 AND room_id = ?2", row.event, row.room
        );
        const replay_course course = is_stored ? course_of_replay(row) : replay_course::none;
        if (course == replay_course::none) {
            done.left += row.state == delivery_state::skipped ? 1 : 0;
            continue;
        }
        reopen_row(row, course, &done);
    }
    db_.run("UPDATE delivery_skips SET is_replayed = 1 WHERE id = ?1", request.id);
    settle_cursor(done.room);
    return done;
}

void sql_tables::reopen_row(
    const delivery_row& row, replay_course course, ops::reopened_rows* counted
) {
    const bool is_queued = course == replay_course::queue;
    db_.run(
        "UPDATE deliveries SET state = ?4, committed_by = CASE WHEN ?5 = 1 THEN committed_by ELSE"
        " '' END, provider_message_id = '', error_code = '', error_message = '', is_retryable = 0"
        " WHERE room_id = ?1 AND \"index\" = ?2 AND id = ?3",
        row.room,
        row.index,
        row.id,
        is_queued ? delivery_state::deferred : delivery_state::pending,
        is_queued
    );
    if (is_queued) {
        outbound_item item = item_of_replay(row, clock_.now());
        item.id = queue_outbound(item);
        counted->queued.push_back(std::move(item));
    } else {
        ++counted->reopened;
    }
}

result<ops::reopened_rows> sql_tables::perform(const ops::redeliver_event& request) {
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    const std::optional<event_index> index = db_.value_of<event_index>(
        "SELECT \"index\" FROM events WHERE id = ?2 AND room_id = ?1", request.room, request.event
    );
    if (!index) {
        return errc::not_found;
    }
    const event_index delivered = delivered_of(request.room);
    ops::reopened_rows done;
    for (const delivery_row& row : rows_of(request.room, *index, request.event)) {
        const replay_course course = course_of_redelivery(row, delivered);
        if (course == replay_course::none) {
            done.left += has_missed(row) ? 1 : 0;
            continue;
        }
        reopen_row(row, course, &done);
    }
    settle_cursor(request.room);
    return done;
}

result<ops::set_lane_state::outcome> sql_tables::perform(const ops::set_lane_state& request) {
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    const std::int64_t changed =
        request.to == ops::lane_state::paused
            ? db_.run(
                  "UPDATE room_cursors SET paused_at = ?2, claim_epoch = claim_epoch + 1"
                  " WHERE room_id = ?1 AND paused_at IS NULL",
                  request.room,
                  clock_.now()
              )
            : db_.run(
                  "UPDATE room_cursors SET paused_at = NULL WHERE room_id = ?1 AND paused_at IS"
                  " NOT NULL",
                  request.room
              );
    const result<delivery_cursor> cursor = perform(ops::get_cursor{request.room});
    if (!cursor) {
        return cursor.error();
    }
    return ops::set_lane_state::outcome{*cursor, changed > 0};
}

result<std::vector<ops::list_paused_lanes::item>> sql_tables::perform(
    const ops::list_paused_lanes& request
) {
    return collect(
        db_.select(
            "SELECT c.room_id, c.delivered_index, r.latest_index, c.paused_at FROM room_cursors c"
            " CROSS JOIN rooms r ON r.id = c.room_id WHERE c.paused_at IS NOT NULL AND c.room_id >"
            " ?2 AND r.organization_id = ?1 ORDER BY c.room_id LIMIT ?3",
            request.organization,
            request.after,
            request.limit
        ),
        [](query& row) {
            ops::list_paused_lanes::item lane;
            row.read(lane.room, lane.delivered, lane.latest, lane.paused_at);
            return lane;
        }
    );
}

result<identity> sql_tables::perform(const ops::update_identity& request) {
    identity changed;
    {
        query rows = db_.select(
            "SELECT id, organization_id, display_name, created_at, metadata FROM identities WHERE"
            " id = ?1 AND organization_id = ?2",
            request.id,
            request.organization
        );
        if (!rows.next()) {
            return errc::not_found;
        }
        rows.read(changed.id, changed.organization, changed.display_name, changed.created_at);
        rows.read(changed.metadata);
    }
    const json_text patch = request.metadata_patch.value_or(json_text{});
    result<json_text> metadata = merge_keys(changed.metadata, patch, request.metadata_unset);
    if (!metadata) {
        return metadata.error();
    }
    changed.metadata = *std::move(metadata);
    changed.display_name = request.display_name.value_or(changed.display_name);
    db_.run(
        "UPDATE identities SET display_name = ?2, metadata = ?3 WHERE id = ?1",
        changed.id,
        changed.display_name,
        changed.metadata
    );
    return changed;
}

}  // namespace convene::sql
