// SPDX-License-Identifier: Apache-2.0
// The SQL tables: remote hooks, and the versions of organisations.
#include <string>
#include <utility>
#include <vector>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

constexpr std::string_view hook_columns =
    "SELECT id, organization_id, room_id, name, url, mode, priority, channel_types, event_types,"
    " deadline_ms, on_failure, is_enabled, secret, previous_secret, previous_until, revision,"
    " created_at, updated_at FROM hooks ";

std::string select_hooks(std::string_view condition) {
    return std::string{hook_columns} + std::string{condition};
}

std::string text_of_types(const std::vector<event_type>& types) {
    std::vector<std::string> words;
    for (const event_type type : types) {
        words.emplace_back(word_of(type));
    }
    return text_of_list(words);
}

std::vector<event_type> types_of_text(session& database, std::string_view text) {
    std::vector<event_type> types;
    for (const std::string& word : list_of_text(database, text)) {
        const std::optional<event_type> type = event_type_from(word);
        if (!type) {
            database.fail(errc::corrupt_data, "an unknown type of event");
            return types;
        }
        types.push_back(*type);
    }
    return types;
}

remote_hook read_hook(query& row, session& database) {
    remote_hook hook;
    std::string channel_types;
    std::string event_types;
    row.read(
        hook.id,
        hook.organization,
        hook.room,
        hook.name,
        hook.url,
        hook.mode,
        hook.priority,
        channel_types,
        event_types,
        hook.deadline,
        hook.on_failure,
        hook.is_enabled,
        hook.secret,
        hook.previous_secret,
        hook.previous_until,
        hook.revision,
        hook.created_at,
        hook.updated_at
    );
    hook.channel_types = list_of_text(database, channel_types);
    hook.event_types = types_of_text(database, event_types);
    return hook;
}

void write_hook(session& database, const remote_hook& hook) {
    static const std::string text = upsert(
        "hooks",
        "id",
        {"id",
         "organization_id",
         "room_id",
         "name",
         "url",
         "mode",
         "priority",
         "channel_types",
         "event_types",
         "deadline_ms",
         "on_failure",
         "is_enabled",
         "secret",
         "previous_secret",
         "previous_until",
         "revision",
         "created_at",
         "updated_at"}
    );
    database.run(
        text,
        hook.id,
        hook.organization,
        hook.room,
        hook.name,
        hook.url,
        hook.mode,
        hook.priority,
        text_of_list(hook.channel_types),
        text_of_types(hook.event_types),
        hook.deadline,
        hook.on_failure,
        hook.is_enabled,
        hook.secret,
        hook.previous_secret,
        hook.previous_until,
        hook.revision,
        hook.created_at,
        hook.updated_at
    );
}

}  // namespace

std::optional<remote_hook> sql_tables::find_hook(
    const organization_id& organization, const hook_id& id
) {
    static const std::string sql = select_hooks("WHERE id = ?1 AND organization_id = ?2");
    query found = db_.select(sql, id, organization);
    return found.next() ? std::optional{read_hook(found, db_)} : std::nullopt;
}

void sql_tables::raise_config_at(const remote_hook& hook, wall_time now) {
    if (!hook.room.empty()) {
        raise_config(hook.room, now);
        return;
    }
    db_.run(
        "INSERT INTO organization_configs (organization_id, config_version) VALUES (?1, 1)"
        " ON CONFLICT (organization_id) DO UPDATE SET config_version ="
        " organization_configs.config_version + 1",
        hook.organization
    );
}

config_version sql_tables::organization_config(const organization_id& organization) {
    return db_
        .value_of<config_version>(
            "SELECT config_version FROM organization_configs WHERE organization_id = ?1",
            organization
        )
        .value_or(0);
}

result<remote_hook> sql_tables::perform(const ops::put_hook& request) {
    remote_hook put = request.hook;
    const std::optional<remote_hook> stored = find_hook(put.organization, put.id);
    if (put.revision == 0) {
        if (db_.exists("SELECT 1 FROM hooks WHERE id = ?1", put.id)) {
            return errc::already_exists;
        }
        if (!put.room.empty() && !has_room(put.organization, put.room)) {
            return errc::not_found;
        }
        const auto beside = db_.value_of<std::int64_t>(
            "SELECT count(*) FROM hooks WHERE organization_id = ?1 AND room_id = ?2",
            put.organization,
            put.room
        );
        if (beside.value_or(0) >= static_cast<std::int64_t>(max_remote_hooks)) {
            return errc::overloaded;
        }
    } else if (!stored) {
        return errc::not_found;
    } else if (stored->revision != put.revision) {
        return errc::room_changed;
    }

    const wall_time now = clock_.now();
    put.created_at = stored ? stored->created_at : now;
    put.room = stored ? stored->room : put.room;
    put.updated_at = now;
    ++put.revision;
    write_hook(db_, put);
    raise_config_at(put, now);
    if (request.audit) {
        insert_audit(db_, *request.audit, now);
    }
    return put;
}

result<remote_hook> sql_tables::perform(const ops::get_hook& request) {
    std::optional<remote_hook> stored = find_hook(request.organization, request.id);
    if (!stored) {
        return errc::not_found;
    }
    return *std::move(stored);
}

result<std::vector<remote_hook>> sql_tables::perform(const ops::list_hooks& request) {
    static const std::string sql = select_hooks(
        "WHERE organization_id = ?1 AND room_id = ?2 ORDER BY priority, id"
    );
    return collect(db_.select(sql, request.organization, request.room), [this](query& row) {
        return read_hook(row, db_);
    });
}

result<bool> sql_tables::perform(const ops::delete_hook& request) {
    const std::optional<remote_hook> stored = find_hook(request.organization, request.id);
    if (!stored) {
        return false;
    }
    const wall_time now = clock_.now();
    db_.run("DELETE FROM hooks WHERE id = ?1", request.id);
    raise_config_at(*stored, now);
    if (request.audit) {
        insert_audit(db_, *request.audit, now);
    }
    return true;
}

result<ops::load_hooks::answer> sql_tables::perform(const ops::load_hooks& request) {
    static const std::string sql = select_hooks(
        "WHERE organization_id = ?1 AND room_id IN ('', ?2) AND is_enabled = 1 ORDER BY priority, "
        "id"
    );
    ops::load_hooks::answer loaded;
    loaded.organization_config = organization_config(request.organization);
    loaded.hooks = collect(db_.select(sql, request.organization, request.room), [this](query& row) {
        return read_hook(row, db_);
    });
    return loaded;
}

}  // namespace convene::sql
