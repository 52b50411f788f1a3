// SPDX-License-Identifier: Apache-2.0
// The SQL tables: rooms, bindings and participants.
#include <utility>

#include "store/metadata.hpp"
#include "store/room_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/writes.hpp"

namespace convene::sql {

namespace {

/// True if `wanted` is set and `current` differs from it.
template <class T>
bool differs(const std::optional<T>& wanted, const T& current) {
    return wanted && *wanted != current;
}

std::optional<room> first_room(query rows) {
    return rows.next() ? std::optional{read_room(rows)} : std::nullopt;
}

}  // namespace

// -- what the others build on ------------------------------------------------------------------------

std::optional<room> sql_tables::find_room(const room_id& id) {
    static const std::string sql = select_rooms("WHERE r.id = ?1");
    return first_room(db_.select(sql, id));
}

std::optional<room> sql_tables::find_room(const organization_id& organization, const room_id& id) {
    std::optional<room> found = find_room(id);
    return found && found->organization == organization ? std::move(found) : std::nullopt;
}

bool sql_tables::has_room(const organization_id& organization, const room_id& id) {
    return db_.exists(
        "SELECT 1 FROM rooms WHERE id = ?1 AND organization_id = ?2", id, organization
    );
}

bool sql_tables::can_create(const room& wanted) {
    const bool is_known = db_.exists("SELECT 1 FROM rooms WHERE id = ?1", wanted.id);
    const bool is_known_outside = db_.exists(
        "SELECT 1 FROM rooms WHERE organization_id = ?1 AND external_id = ?2 AND external_id <> ''",
        wanted.organization,
        wanted.external_id
    );
    return !is_known && !is_known_outside;
}

room sql_tables::add_room(
    const room& wanted,
    const std::vector<binding>& bindings,
    const std::vector<participant>& participants
) {
    room added = fresh_room(wanted, clock_.now());
    insert_room(db_, added);
    save_metadata(added);
    for (const binding& bound : bindings) {
        put_binding(db_, added, bound);
    }
    for (participant member : participants) {
        member.room = added.id;
        put_participant(db_, member);
    }
    arm_timer(added);
    return added;
}

void sql_tables::save_settings(const room& changed) { sql::save_settings(write_, changed); }

void sql_tables::save_metadata(const room& changed) {
    if (changed.metadata == json_text{}) {
        db_.run("DELETE FROM room_metadata WHERE room_id = ?1", changed.id);
    } else {
        db_.run(
            "INSERT INTO room_metadata (room_id, metadata) VALUES (?1, ?2)"
            " ON CONFLICT (room_id) DO UPDATE SET metadata = ?2",
            changed.id,
            changed.metadata
        );
    }
}

void sql_tables::set_status(room& changed, room_status status, wall_time now) {
    sql::set_status(write_, changed, status, now);
}

void sql_tables::raise_config(const room_id& id, wall_time now) {
    db_.run(
        "UPDATE rooms SET config_version = config_version + 1, updated_at = ?2 WHERE id = ?1",
        id,
        now
    );
}

void sql_tables::arm_timer(const room& changed) { sql::arm_timer(write_, changed); }

// -- rooms -------------------------------------------------------------------------------------------

result<room> sql_tables::perform(const ops::create_room& request) {
    if (!can_create(request.room)) {
        return errc::already_exists;
    }
    return add_room(request.room, request.bindings, request.participants);
}

result<room> sql_tables::perform(const ops::get_room& request) {
    std::optional<room> found = find_room(request.organization, request.id);
    if (!found) {
        return errc::not_found;
    }
    return *std::move(found);
}

result<organization_id> sql_tables::perform(const ops::find_organization& request) {
    std::optional<organization_id> found = db_.value_of<organization_id>(
        "SELECT organization_id FROM rooms WHERE id = ?1", request.id
    );
    if (!found) {
        return errc::not_found;
    }
    return *std::move(found);
}

result<std::optional<room>> sql_tables::perform(const ops::find_room_by_external_id& request) {
    static const std::string sql = select_rooms(
        "WHERE r.organization_id = ?1 AND r.external_id = ?2 AND r.external_id <> ''"
    );
    return first_room(db_.select(sql, request.organization, request.external_id));
}

result<std::vector<room>> sql_tables::perform(const ops::list_rooms& request) {
    // Each wish is a condition of its own: one that says "or nothing was asked for" would hide an index.
    const bool is_forward = request.order == ops::room_order::oldest_first;
    // Always true: a statement must know every parameter that is bound.
    std::string
        condition = "WHERE (?2 IS NULL OR r.status = ?2) AND coalesce(?1, ?4, ?5) IS NOT NULL";
    if (is_forward || !request.after.empty()) {
        condition += is_forward ? " AND r.id > ?1" : " AND r.id < ?1";
    }
    if (request.organization) {
        // The rooms of one participant are few: an expression keeps the organisation's many from being walked.
        condition += request.member ? " AND r.organization_id || '' = ?4"
                                    : " AND r.organization_id = ?4";
    }
    if (request.member) {
        condition += " AND r.id IN (SELECT room_id FROM participants WHERE id = ?5 AND status = 1)";
    }
    condition += is_forward ? " ORDER BY r.id LIMIT ?3" : " ORDER BY r.id DESC LIMIT ?3";
    return collect(
        db_.select(
            select_rooms(condition),
            request.after,
            request.status,
            request.limit,
            request.organization,
            request.member
        ),
        read_room
    );
}

void sql_tables::change_status(room& changed, room_status status, wall_time now) {
    if (is_open(status)) {
        set_status(changed, status, now);
        return;
    }
    const std::optional<agent_session> session = lock_session(changed.id);
    set_status(changed, status, now);
    cancel_approvals(changed.id, now);
    if (session && session->status == session_status::waiting_for_approval) {
        settle_session(*session, session_status::idle, now);
    }
}

result<room> sql_tables::perform(const ops::update_room& request) {
    std::optional<room> found = find_room(request.organization, request.id);
    if (!found) {
        return errc::not_found;
    }
    room& changed = *found;
    if (differs(request.expected_config, changed.config)) {
        return errc::room_changed;
    }
    const json_text patch = request.metadata_patch.value_or(json_text{});
    result<json_text> metadata = merge_keys(changed.metadata, patch, request.metadata_unset);
    if (!metadata) {
        return metadata.error();
    }

    const wall_time now = clock_.now();
    const bool timers_change = differs(request.timers, changed.timers);
    const bool responses_change = differs(request.responses, changed.responses);
    changed.metadata = *std::move(metadata);
    changed.timers = request.timers.value_or(changed.timers);
    changed.responses = request.responses.value_or(changed.responses);
    changed.updated_at = now;
    save_metadata(changed);
    if (differs(request.status, changed.status)) {
        change_status(changed, *request.status, now);
        return changed;
    }
    changed.config += timers_change || responses_change ? 1 : 0;
    save_settings(changed);
    if (timers_change) {
        arm_timer(changed);
    }
    return changed;
}

result<bool> sql_tables::perform(const ops::delete_room& request) {
    if (!has_room(request.organization, request.id)) {
        return false;
    }
    erase_room(request.organization, request.id, clock_.now());
    return true;
}

void sql_tables::erase_room(const organization_id& organization, const room_id& id, wall_time now) {
    // First: what appends to a session locks its row before everything else.
    db_.run("DELETE FROM sessions WHERE room_id = ?1", id);
    static const std::string sql = select_events("WHERE e.room_id = ?1");
    query events = db_.select(sql, id);
    while (events.next()) {
        remove_from_search(organization, read_stored_event(events, db_));
    }
    remove_attachments_of(organization, id, now);
    for (const std::string_view removal : {
             "DELETE FROM events WHERE room_id = ?1",
             "DELETE FROM deleted_events WHERE room_id = ?1",
             "DELETE FROM deleted_keys WHERE room_id = ?1",
             "DELETE FROM inbound_keys WHERE room_id = ?1",
             "DELETE FROM inbound_routes WHERE room_id = ?1",
             "DELETE FROM deliveries WHERE room_id = ?1",
             "DELETE FROM delivery_receipts WHERE room_id = ?1",
             "DELETE FROM delivery_skips WHERE room_id = ?1",
             "DELETE FROM read_markers WHERE room_id = ?1",
             "DELETE FROM tasks WHERE room_id = ?1",
             "DELETE FROM observations WHERE room_id = ?1",
             "DELETE FROM bindings WHERE room_id = ?1",
             "DELETE FROM participants WHERE room_id = ?1",
             "DELETE FROM hooks WHERE room_id = ?1 AND organization_id = ?2",
             "DELETE FROM room_timers WHERE room_id = ?1",
             "DELETE FROM room_metadata WHERE room_id = ?1",
             "DELETE FROM room_cursors WHERE room_id = ?1",
             "DELETE FROM rooms WHERE id = ?1",
             "DELETE FROM run_frames WHERE run_id IN (SELECT id FROM runs WHERE room_id = ?1)",
             "DELETE FROM runs WHERE room_id = ?1",
             "DELETE FROM tool_intents WHERE room_id = ?1",
             ("DELETE FROM notifications WHERE EXISTS (SELECT 1 FROM approvals WHERE room_id = ?1)"
              " AND organization_id = ?2 AND link IN (SELECT '/api/v1/approvals/' || id FROM"
              " approvals WHERE room_id = ?1)"),
             "DELETE FROM approvals WHERE room_id = ?1",
             "DELETE FROM turns WHERE room_id = ?1",
             "DELETE FROM workflow_executions WHERE room_id = ?1",
             "DELETE FROM execution_tasks WHERE room_id = ?1",
             "DELETE FROM tool_invocations WHERE room_id = ?1",
             ("DELETE FROM skill_pins WHERE organization_id = ?2 AND holder_kind = 'execution' AND"
              " holder = ?1"),
             ("UPDATE workflows SET error = CASE WHEN status = 1 THEN 'room_deleted' ELSE error "
              "END,"
              " status = CASE WHEN status = 1 THEN 3 ELSE status END, revision = revision + 1,"
              " room_id = '' WHERE room_id = ?1 AND room_id <> ''"),
         }) {
        db_.run(removal, id, organization);
    }
    db_.run(
        "DELETE FROM retention_policies WHERE organization_id = ?1 AND room_id = ?2",
        organization,
        id
    );
    remove_outbound_of(id);
}

result<room_context> sql_tables::perform(const ops::load_room_context& request) {
    std::optional<room> found = find_room(request.organization, request.id);
    if (!found) {
        return errc::not_found;
    }
    static const std::string bindings = select_bindings("WHERE room_id = ?1 ORDER BY channel_id");
    static const std::string participants = select_participants("WHERE room_id = ?1 ORDER BY id");
    return room_context{
        *std::move(found),
        collect(
            db_.select(bindings, request.id), [this](query& row) { return read_binding(row, db_); }
        ),
        collect(db_.select(participants, request.id), read_participant),
    };
}

// -- bindings and participants -----------------------------------------------------------------------

result<binding> sql_tables::perform(const ops::put_binding& request) {
    const std::optional<room> owner = find_room(request.organization, request.binding.room);
    if (!owner) {
        return errc::not_found;
    }
    put_binding(db_, *owner, request.binding);
    raise_config(owner->id, clock_.now());
    return request.binding;
}

result<bool> sql_tables::perform(const ops::remove_binding& request) {
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    const bool is_removed = db_.run(
                                "DELETE FROM bindings WHERE room_id = ?1 AND channel_id = ?2",
                                request.room,
                                request.channel
                            ) > 0;
    if (is_removed) {
        raise_config(request.room, clock_.now());
    }
    return is_removed;
}

result<participant> sql_tables::perform(const ops::put_participant& request) {
    if (!has_room(request.organization, request.participant.room)) {
        return errc::not_found;
    }
    put_participant(db_, request.participant);
    raise_config(request.participant.room, clock_.now());
    return request.participant;
}

}  // namespace convene::sql
