// SPDX-License-Identifier: Apache-2.0
// The SQL tables: secrets that skills name.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

std::string select_secrets(std::string_view condition) {
    return "SELECT organization_id, name, value, description, created_at, updated_at FROM"
           " secrets " +
           std::string{condition};
}

named_secret read_secret(query& row) {
    named_secret found;
    row.read(found.organization, found.name, found.value, found.description);
    row.read(found.created_at, found.updated_at);
    return found;
}

}  // namespace

std::optional<named_secret> sql_tables::lock_secret(
    const organization_id& organization, const secret_name& name
) {
    query row = db_.select(
        select_secrets("WHERE organization_id = ?1 AND name = ?2").append(row_lock()),
        organization,
        name
    );
    return row.next() ? std::optional{read_secret(row)} : std::nullopt;
}

bool sql_tables::can_name_secret(const organization_id& organization, const secret_name& name) {
    return name.empty() || lock_secret(organization, name).has_value();
}

std::vector<secret_user> sql_tables::users_of_secret(
    const organization_id& organization, const secret_name& name
) {
    return collect(
        db_.select(
            "SELECT id, name FROM skills WHERE organization_id = ?1 AND secret = ?2 AND secret <>"
            " '' ORDER BY id",
            organization,
            name
        ),
        [](query& row) {
            secret_user found;
            row.read(found.skill, found.name);
            return found;
        }
    );
}

result<ops::put_secret::answer> sql_tables::perform(const ops::put_secret& request) {
    const wall_time now = clock_.now();
    const named_secret& wanted = request.secret;
    const std::optional<named_secret> known = lock_secret(wanted.organization, wanted.name);
    if (!known) {
        const std::optional<std::int64_t> theirs = db_.value_of<std::int64_t>(
            "SELECT count(*) FROM secrets WHERE organization_id = ?1", wanted.organization
        );
        if (theirs.value_or(0) >= static_cast<std::int64_t>(most_secrets)) {
            return errc::overloaded;
        }
    }
    ops::put_secret::answer put;
    put.is_new = !known;
    put.stored.secret = wanted;
    put.stored.secret.created_at = known ? known->created_at : now;
    put.stored.secret.updated_at = now;
    db_.run(
        "INSERT INTO secrets (organization_id, name, value, description, created_at, updated_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (organization_id, name) DO UPDATE SET"
        " value = ?3, description = ?4, updated_at = ?5",
        wanted.organization,
        wanted.name,
        wanted.value,
        wanted.description,
        now
    );
    insert_audit(db_, request.audit, now);
    put.stored.secret.value.clear();
    put.stored.used_by = users_of_secret(wanted.organization, wanted.name);
    return put;
}

result<named_secret> sql_tables::perform(const ops::get_secret& request) {
    static const std::string text = select_secrets("WHERE organization_id = ?1 AND name = ?2");
    query row = db_.select(text, request.organization, request.name);
    if (!row.next()) {
        return errc::not_found;
    }
    return read_secret(row);
}

result<std::vector<listed_secret>> sql_tables::perform(const ops::list_secrets& request) {
    static const std::string text = select_secrets("WHERE organization_id = ?1 ORDER BY name");
    const std::vector<named_secret> secrets = collect(
        db_.select(text, request.organization), read_secret
    );
    std::vector<listed_secret> found;
    for (const named_secret& one : secrets) {
        found.push_back({one, users_of_secret(one.organization, one.name)});
        found.back().secret.value.clear();
    }
    return found;
}

result<ops::delete_secret::answer> sql_tables::perform(const ops::delete_secret& request) {
    using enum ops::secret_deletion;
    if (!lock_secret(request.organization, request.name)) {
        return ops::delete_secret::answer{not_found, {}};
    }
    std::vector<secret_user> users = users_of_secret(request.organization, request.name);
    if (!users.empty()) {
        return ops::delete_secret::answer{in_use, std::move(users)};
    }
    db_.run(
        "DELETE FROM secrets WHERE organization_id = ?1 AND name = ?2",
        request.organization,
        request.name
    );
    insert_audit(db_, request.audit, clock_.now());
    return ops::delete_secret::answer{done, {}};
}

}  // namespace convene::sql
