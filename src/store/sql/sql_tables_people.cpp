// SPDX-License-Identifier: Apache-2.0
// The SQL tables: identities and their addresses, tasks, observations.
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/writes.hpp"

namespace convene::sql {

namespace {

std::optional<identity> first_identity(query rows) {
    if (!rows.next()) {
        return std::nullopt;
    }
    identity found;
    rows.read(found.id, found.organization, found.display_name, found.created_at, found.metadata);
    return found;
}

constexpr std::string_view task_columns_of_room =
    "SELECT id, room_id, title, description, assigned_to, status, metadata, created_at FROM tasks"
    " WHERE room_id = ?1 AND (?2 IS NULL OR status = ?2) ORDER BY id";

constexpr std::string_view task_columns_of_one =
    "SELECT id, room_id, title, description, assigned_to, status, metadata, created_at FROM tasks"
    " WHERE room_id = ?1 AND id = ?2";

room_task read_task(query& row) {
    room_task task;
    row.read(
        task.id,
        task.room,
        task.title,
        task.description,
        task.assigned_to,
        task.status,
        task.metadata
    );
    row.read(task.created_at);
    return task;
}

observation read_observation(query& row) {
    observation seen;
    row.read(
        seen.id,
        seen.room,
        seen.channel,
        seen.content,
        seen.category,
        seen.confidence,
        seen.metadata
    );
    row.read(seen.created_at);
    return seen;
}

}  // namespace

// -- identities --------------------------------------------------------------------------------------

result<identity> sql_tables::perform(const ops::create_identity& request) {
    identity added = request.identity;
    if (db_.exists("SELECT 1 FROM identities WHERE id = ?1", added.id)) {
        return errc::already_exists;
    }
    added.created_at = clock_.now();
    db_.run(
        "INSERT INTO identities (id, organization_id, display_name, created_at, metadata)"
        " VALUES (?1, ?2, ?3, ?4, ?5)",
        added.id,
        added.organization,
        added.display_name,
        added.created_at,
        added.metadata
    );
    return added;
}

result<identity> sql_tables::perform(const ops::get_identity& request) {
    std::optional<identity> found = first_identity(db_.select(
        "SELECT id, organization_id, display_name, created_at, metadata FROM identities"
        " WHERE id = ?1 AND organization_id = ?2",
        request.id,
        request.organization
    ));
    if (!found) {
        return errc::not_found;
    }
    return *std::move(found);
}

result<std::monostate> sql_tables::perform(const ops::link_address& request) {
    const bool is_known = db_.exists(
        "SELECT 1 FROM identities WHERE id = ?1 AND organization_id = ?2",
        request.identity,
        request.organization
    );
    if (!is_known) {
        return errc::not_found;
    }
    db_.run(
        "INSERT INTO identity_addresses (organization_id, channel_type, address, identity_id)"
        " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (organization_id, channel_type, address)"
        " DO UPDATE SET identity_id = ?4",
        request.organization,
        request.channel_type,
        request.address,
        request.identity
    );
    return std::monostate{};
}

result<std::optional<identity>> sql_tables::perform(const ops::resolve_identity& request) {
    return first_identity(db_.select(
        "SELECT i.id, i.organization_id, i.display_name, i.created_at, i.metadata"
        " FROM identity_addresses a CROSS JOIN identities i ON i.id = a.identity_id"
        " WHERE a.organization_id = ?1 AND a.channel_type = ?2 AND a.address = ?3",
        request.organization,
        request.channel_type,
        request.address
    ));
}

// -- tasks and observations --------------------------------------------------------------------------

result<room_task> sql_tables::perform(const ops::add_task& request) {
    room_task added = request.task;
    if (!has_room(request.organization, added.room)) {
        return errc::not_found;
    }
    if (db_.exists("SELECT 1 FROM tasks WHERE room_id = ?1 AND id = ?2", added.room, added.id)) {
        return errc::already_exists;
    }
    added.created_at = clock_.now();
    insert_task(write_, added, added.created_at);
    return added;
}

result<room_task> sql_tables::perform(const ops::update_task& request) {
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    db_.run(
        "UPDATE tasks SET status = coalesce(?3, status), assigned_to = coalesce(?4, assigned_to)"
        " WHERE room_id = ?1 AND id = ?2",
        request.room,
        request.id,
        request.status,
        request.assigned_to
    );
    query changed = db_.select(task_columns_of_one, request.room, request.id);
    if (!changed.next()) {
        return errc::not_found;
    }
    return read_task(changed);
}

result<std::vector<room_task>> sql_tables::perform(const ops::list_tasks& request) {
    if (!has_room(request.organization, request.room)) {
        return std::vector<room_task>{};
    }
    return collect(db_.select(task_columns_of_room, request.room, request.status), read_task);
}

result<std::vector<observation>> sql_tables::perform(const ops::list_observations& request) {
    if (!has_room(request.organization, request.room)) {
        return std::vector<observation>{};
    }
    return collect(
        db_.select(
            "SELECT id, room_id, channel_id, content, category, confidence, metadata, created_at"
            " FROM observations WHERE room_id = ?1 ORDER BY id",
            request.room
        ),
        read_observation
    );
}

}  // namespace convene::sql
