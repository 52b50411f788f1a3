// SPDX-License-Identifier: Apache-2.0
// The memory tables: what operators do by hand, and changing an identity.
#include <algorithm>
#include <utility>

#include "store/memory/memory_tables.hpp"
#include "store/metadata.hpp"
#include "store/skip_rules.hpp"

namespace convene {

result<ops::probe_store::found> memory_tables::apply(const ops::probe_store&) {
    return ops::probe_store::found{};
}

result<ops::note_restore::outcome> memory_tables::apply(const ops::note_restore&) {
    ops::note_restore::outcome done;
    for (auto& [id, record] : rooms_) {
        ++record.info.timeline_epoch;
        ++record.info.lock_epoch;
        ++record.claim_epoch;
        ++done.rooms;
    }
    sessions_.fence_all();
    for (auto& [incarnation, worker] : workers_) {
        done.workers += worker.state == ops::worker_state::dead ? 0 : 1;
        worker.state = ops::worker_state::dead;
    }
    return done;
}

result<ops::replay_skip::outcome> memory_tables::apply(const ops::replay_skip& request) {
    const auto skip = std::ranges::find(skips_, request.id, &delivery_skip::id);
    room_record* const record = skip == skips_.end() ? nullptr
                                                     : find_room(request.organization, skip->room);
    if (record == nullptr) {
        return errc::not_found;
    }
    ops::replay_skip::outcome done;
    done.room = skip->room;
    if (skip->is_replayed) {
        done.is_replayed_before = true;
        return done;
    }
    std::vector<delivery_row> rows;
    for (const event_id& event : skip->events) {
        std::ranges::move(rows_.rows_of(skip->room, event), std::back_inserter(rows));
    }
    std::ranges::sort(rows, {}, [](const delivery_row& row) {
        return std::pair{row.index, row.id};
    });
    for (delivery_row& row : rows) {
        const bool is_stored = record->events.find(row.event) != nullptr;
        const replay_course course = is_stored ? course_of_replay(row) : replay_course::none;
        if (course == replay_course::none) {
            done.left += row.state == delivery_state::skipped ? 1 : 0;
            continue;
        }
        reopen_row(std::move(row), course, &done);
    }
    skip->is_replayed = true;
    settle_cursor(*record);
    return done;
}

void memory_tables::reopen_row(
    delivery_row row, replay_course course, ops::reopened_rows* counted
) {
    row.outcome = {};
    if (course == replay_course::queue) {
        row.state = delivery_state::deferred;
        outbound_item item = item_of_replay(row, clock_.now());
        item.id = outbound_.add(item);
        counted->queued.push_back(std::move(item));
    } else {
        row.state = delivery_state::pending;
        row.committed_by = incarnation_id{};
        ++counted->reopened;
    }
    rows_.replace(std::move(row));
}

result<ops::reopened_rows> memory_tables::apply(const ops::redeliver_event& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr || record->events.find(request.event) == nullptr) {
        return errc::not_found;
    }
    ops::reopened_rows done;
    for (delivery_row& row : rows_.rows_of(request.room, request.event)) {
        const replay_course course = course_of_redelivery(row, record->info.delivered_index);
        if (course == replay_course::none) {
            done.left += has_missed(row) ? 1 : 0;
            continue;
        }
        reopen_row(std::move(row), course, &done);
    }
    settle_cursor(*record);
    return done;
}

result<ops::set_lane_state::outcome> memory_tables::apply(const ops::set_lane_state& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    const bool is_to_pause = request.to == ops::lane_state::paused;
    const bool is_changed = record->lane_paused_at.has_value() != is_to_pause;
    if (is_changed && is_to_pause) {
        record->lane_paused_at = clock_.now();
        ++record->claim_epoch;
    } else if (is_changed) {
        record->lane_paused_at.reset();
    }
    return ops::set_lane_state::outcome{cursor_of(*record), is_changed};
}

result<std::vector<ops::list_paused_lanes::item>> memory_tables::apply(
    const ops::list_paused_lanes& request
) {
    std::vector<ops::list_paused_lanes::item> paused;
    auto next = rooms_.upper_bound(request.after);
    for (; next != rooms_.end() && paused.size() < request.limit; ++next) {
        const room_record& record = next->second;
        if (record.lane_paused_at && record.info.organization == request.organization) {
            paused.push_back(
                {record.info.id,
                 record.info.delivered_index,
                 record.info.latest_index,
                 *record.lane_paused_at}
            );
        }
    }
    return paused;
}

result<identity> memory_tables::apply(const ops::update_identity& request) {
    const auto known = identities_.find(request.id);
    if (known == identities_.end() || known->second.organization != request.organization) {
        return errc::not_found;
    }
    const json_text patch = request.metadata_patch.value_or(json_text{});
    result<json_text> metadata = merge_keys(known->second.metadata, patch, request.metadata_unset);
    if (!metadata) {
        return metadata.error();
    }
    known->second.metadata = *std::move(metadata);
    known->second.display_name = request.display_name.value_or(known->second.display_name);
    return known->second;
}

}  // namespace convene
