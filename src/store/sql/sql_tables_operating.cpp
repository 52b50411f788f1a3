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
    const wall_time now = clock_.now();
    for (const delivery_row& row : rows) {
        const bool is_stored = db_.exists(
            "SELECT 1 FROM events WHERE id = ?1 AND room_id = ?2", row.event, row.room
        );
        const replay_course course = is_stored ? course_of_replay(row) : replay_course::none;
        if (course == replay_course::none) {
            done.left += row.state == delivery_state::skipped ? 1 : 0;
            continue;
        }
        const bool is_queued = course == replay_course::queue;
        db_.run(
            "UPDATE deliveries SET state = ?4, committed_by = CASE WHEN ?5 = 1 THEN committed_by "
            "ELSE"
            " '' END, provider_message_id = '', error_code = '', error_message = '', is_retryable ="
            " 0 WHERE room_id = ?1 AND \"index\" = ?2 AND id = ?3",
            row.room,
            row.index,
            row.id,
            is_queued ? delivery_state::deferred : delivery_state::pending,
            is_queued
        );
        if (is_queued) {
            outbound_item item = item_of_replay(row, now);
            item.id = queue_outbound(item);
            done.queued.push_back(std::move(item));
        } else {
            ++done.reopened;
        }
    }
    db_.run("UPDATE delivery_skips SET is_replayed = 1 WHERE id = ?1", request.id);
    return done;
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
