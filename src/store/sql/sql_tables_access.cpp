// SPDX-License-Identifier: Apache-2.0
// The SQL tables: organisations, users, tokens, sessions, links, the audit trail, repeated requests.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/access_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

// How many rows that have expired go with each one that is added: more than come, and never many.
constexpr std::string_view forget_sessions =
    "DELETE FROM auth_sessions WHERE hash IN (SELECT hash FROM auth_sessions WHERE expires_at <= ?1"
    " ORDER BY expires_at LIMIT 100)";
constexpr std::string_view forget_links =
    "DELETE FROM one_time_links WHERE hash IN (SELECT hash FROM one_time_links WHERE expires_at <= "
    "?1 ORDER BY expires_at LIMIT 100)";
constexpr std::string_view forget_requests =
    "DELETE FROM request_answers WHERE (organization_id, route, key) IN (SELECT organization_id, "
    "route, key FROM request_answers WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 100)";

std::string select_users(std::string_view condition) {
    return "SELECT id, organization_id, email, display_name, role, is_active, password_hash, "
           "created_at FROM users " +
           std::string{condition};
}

user read_user(query& row) {
    user found;
    row.read(
        found.id,
        found.organization,
        found.email,
        found.display_name,
        found.role,
        found.is_active,
        found.password_hash,
        found.created_at
    );
    return found;
}

std::string select_tokens(std::string_view condition) {
    return "SELECT id, organization_id, name, role, hash, created_by, expires_at, created_at, "
           "last_used_at FROM api_tokens " +
           std::string{condition};
}

api_token read_token(query& row) {
    api_token found;
    row.read(
        found.id,
        found.organization,
        found.name,
        found.role,
        found.hash,
        found.created_by,
        found.expires_at,
        found.created_at,
        found.last_used_at
    );
    return found;
}

std::string select_links(std::string_view condition) {
    return "SELECT hash, organization_id, user_id, kind, expires_at FROM one_time_links " +
           std::string{condition};
}

one_time_link read_link(query& row) {
    one_time_link found;
    row.read(found.hash, found.organization, found.user, found.kind, found.expires_at);
    return found;
}

organization read_organization(query& row) {
    organization found;
    row.read(found.id, found.name, found.created_at);
    return found;
}

/// Unset if there is no row.
template <class Read>
auto first_of(query rows, Read read) -> std::optional<decltype(read(rows))> {
    if (!rows.next()) {
        return std::nullopt;
    }
    return read(rows);
}

bool can_add(session& db, const user& wanted) {
    return !db.exists("SELECT 1 FROM users WHERE id = ?1", wanted.id) &&
           !db.exists("SELECT 1 FROM users WHERE email_key = ?1", email_key(wanted.email));
}

void insert_user(session& db, const user& added) {
    db.run(
        "INSERT INTO users (id, organization_id, email, email_key, display_name, role, is_active, "
        "password_hash, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        added.id,
        added.organization,
        added.email,
        email_key(added.email),
        added.display_name,
        added.role,
        added.is_active,
        added.password_hash,
        added.created_at
    );
}

std::optional<user> find_user(session& db, const organization_id& organization, const user_id& id) {
    static const std::string text = select_users("WHERE id = ?1 AND organization_id = ?2");
    return first_of(db.select(text, id, organization), read_user);
}

bool is_active(session& db, const organization_id& organization, const user_id& id) {
    const std::optional<user> known = find_user(db, organization, id);
    return known && known->is_active;
}

bool has_organization(session& db, const organization_id& id) {
    return db.exists("SELECT 1 FROM organizations WHERE id = ?1", id);
}

bool has_other_admin(session& db, const user& one) {
    return db.exists(
        "SELECT 1 FROM users WHERE organization_id = ?1 AND id <> ?2 AND is_active = 1 AND role = "
        "?3",
        one.organization,
        one.id,
        user_role::admin
    );
}

void end_sessions_and_links(session& db, const user_id& id) {
    db.run("DELETE FROM auth_sessions WHERE user_id = ?1", id);
    db.run("DELETE FROM one_time_links WHERE user_id = ?1", id);
}

struct request_row {
    std::string request_hash;
    std::int64_t attempt = 0;
    wall_time started_at{};
    std::optional<std::int32_t> status;
    std::string body;
};

std::optional<request_row> find_request_row(
    session& db, const ops::request_key& key, wall_time now
) {
    return first_of(
        db.select(
            "SELECT request_hash, attempt, started_at, status, body FROM request_answers"
            " WHERE organization_id = ?1 AND route = ?2 AND key = ?3 AND expires_at > ?4",
            key.organization,
            key.route,
            key.key,
            now
        ),
        [](query& row) {
            request_row found;
            row.read(found.request_hash, found.attempt, found.started_at, found.status, found.body);
            return found;
        }
    );
}

ops::begin_request::outcome outcome_of(request_row row) {
    using enum ops::request_state;
    if (!row.status) {
        return {running, row.attempt, 0, {}};
    }
    return {finished, row.attempt, *row.status, std::move(row.body)};
}

}  // namespace

// -- organisations -----------------------------------------------------------------------------------

result<organization> sql_tables::perform(const ops::create_organization& request) {
    organization added = request.organization;
    const bool is_leaving = db_.exists(
        "SELECT 1 FROM erasures WHERE organization_id = ?1", added.id
    );
    if (is_leaving || has_organization(db_, added.id) ||
        (request.first_user && !can_add(db_, *request.first_user))) {
        return errc::already_exists;
    }
    added.created_at = clock_.now();
    db_.run(
        "INSERT INTO organizations (id, name, created_at) VALUES (?1, ?2, ?3)",
        added.id,
        added.name,
        added.created_at
    );
    if (request.first_user) {
        user first = *request.first_user;
        first.organization = added.id;
        first.created_at = added.created_at;
        insert_user(db_, first);
    }
    insert_audit(db_, request.audit, added.created_at);
    return added;
}

result<organization> sql_tables::perform(const ops::get_organization& request) {
    std::optional<organization> found = first_of(
        db_.select("SELECT id, name, created_at FROM organizations WHERE id = ?1", request.id),
        read_organization
    );
    if (!found) {
        return errc::not_found;
    }
    return *std::move(found);
}

result<std::vector<organization>> sql_tables::perform(const ops::list_organizations&) {
    return collect(
        db_.select("SELECT id, name, created_at FROM organizations ORDER BY id"), read_organization
    );
}

// -- users -------------------------------------------------------------------------------------------

result<user> sql_tables::perform(const ops::create_user& request) {
    user added = request.user;
    if (!has_organization(db_, added.organization)) {
        return errc::not_found;
    }
    if (!can_add(db_, added)) {
        return errc::already_exists;
    }
    added.created_at = clock_.now();
    insert_user(db_, added);
    insert_audit(db_, request.audit, added.created_at);
    return added;
}

result<user> sql_tables::perform(const ops::get_user& request) {
    std::optional<user> found = find_user(db_, request.organization, request.id);
    if (!found) {
        return errc::not_found;
    }
    return *std::move(found);
}

result<std::optional<user>> sql_tables::perform(const ops::find_user_by_email& request) {
    static const std::string text = select_users("WHERE email_key = ?1");
    return first_of(db_.select(text, email_key(request.email)), read_user);
}

result<std::vector<user>> sql_tables::perform(const ops::list_users& request) {
    static const std::string text = select_users(
        "WHERE organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
    );
    return collect(db_.select(text, request.organization, request.after, request.limit), read_user);
}

result<user> sql_tables::perform(const ops::update_user& request) {
    const std::optional<user> known = find_user(db_, request.organization, request.id);
    if (!known) {
        return errc::not_found;
    }
    const user changed = changed_by(*known, request);
    if (gives_up_admin(*known, changed) && !has_other_admin(db_, *known)) {
        return errc::last_admin;
    }

    db_.run(
        "UPDATE users SET display_name = ?2, role = ?3, is_active = ?4, password_hash = ?5"
        " WHERE id = ?1",
        changed.id,
        changed.display_name,
        changed.role,
        changed.is_active,
        changed.password_hash
    );
    if (!changed.is_active || request.password_hash) {
        end_sessions_and_links(db_, changed.id);
    }
    db_.run(
        "DELETE FROM api_tokens WHERE created_by = ?1 AND created_by <> '' AND (?2 = 0 OR role > "
        "?3)",
        changed.id,
        changed.is_active,
        changed.role
    );
    insert_audit(db_, request.audit, clock_.now());
    return changed;
}

// -- API tokens --------------------------------------------------------------------------------------

result<api_token> sql_tables::perform(const ops::create_api_token& request) {
    api_token added = request.token;
    if (!has_organization(db_, added.organization)) {
        return errc::not_found;
    }
    if (db_.exists("SELECT 1 FROM api_tokens WHERE id = ?1", added.id) ||
        db_.exists("SELECT 1 FROM api_tokens WHERE hash = ?1", added.hash)) {
        return errc::already_exists;
    }
    added.created_at = clock_.now();
    added.last_used_at.reset();
    db_.run(
        "INSERT INTO api_tokens (hash, id, organization_id, name, role, created_by, expires_at, "
        "created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        added.hash,
        added.id,
        added.organization,
        added.name,
        added.role,
        added.created_by,
        added.expires_at,
        added.created_at
    );
    insert_audit(db_, request.audit, added.created_at);
    return added;
}

result<ops::find_api_token::answer> sql_tables::perform(const ops::find_api_token& request) {
    static const std::string text = select_tokens(
        "WHERE hash = ?1 AND (expires_at IS NULL OR expires_at > ?2)"
    );
    const wall_time now = clock_.now();
    std::optional<api_token> found = first_of(db_.select(text, request.hash, now), read_token);
    if (!found) {
        return ops::find_api_token::answer{};
    }
    return ops::find_api_token::answer{{*std::move(found), now}};
}

result<std::vector<api_token>> sql_tables::perform(const ops::list_api_tokens& request) {
    static const std::string text = select_tokens("WHERE organization_id = ?1 ORDER BY id");
    return collect(db_.select(text, request.organization), read_token);
}

result<std::monostate> sql_tables::perform(const ops::revoke_api_token& request) {
    const std::int64_t gone = db_.run(
        "DELETE FROM api_tokens WHERE id = ?1 AND organization_id = ?2",
        request.id,
        request.organization
    );
    if (gone == 0) {
        return errc::not_found;
    }
    insert_audit(db_, request.audit, clock_.now());
    return std::monostate{};
}

result<std::monostate> sql_tables::perform(const ops::touch_api_token& request) {
    db_.run("UPDATE api_tokens SET last_used_at = ?2 WHERE hash = ?1", request.hash, clock_.now());
    return std::monostate{};
}

// -- browser sessions --------------------------------------------------------------------------------

result<auth_session> sql_tables::perform(const ops::create_auth_session& request) {
    auth_session added = request.session;
    const std::optional<user> owner = find_user(db_, added.organization, added.user);
    if (!owner || !owner->is_active ||
        request.expected_password_hash.value_or(owner->password_hash) != owner->password_hash) {
        return errc::not_found;
    }
    added.created_at = clock_.now();
    added.expires_at = added.created_at + request.lifetime;
    db_.run(forget_sessions, added.created_at);
    if (db_.exists("SELECT 1 FROM auth_sessions WHERE hash = ?1", added.hash)) {
        return errc::already_exists;
    }
    db_.run(
        "INSERT INTO auth_sessions (hash, organization_id, user_id, created_at, expires_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5)",
        added.hash,
        added.organization,
        added.user,
        added.created_at,
        added.expires_at
    );
    insert_audit(db_, request.audit, added.created_at);
    return added;
}

result<ops::find_auth_session::answer> sql_tables::perform(const ops::find_auth_session& request) {
    const wall_time now = clock_.now();
    const std::optional<auth_session> session = first_of(
        db_.select(
            "SELECT hash, organization_id, user_id, created_at, expires_at FROM auth_sessions"
            " WHERE hash = ?1 AND expires_at > ?2",
            request.hash,
            now
        ),
        [](query& row) {
            auth_session found;
            row.read(
                found.hash, found.organization, found.user, found.created_at, found.expires_at
            );
            return found;
        }
    );
    if (!session) {
        return ops::find_auth_session::answer{};
    }
    std::optional<user> owner = find_user(db_, session->organization, session->user);
    if (!owner) {
        return ops::find_auth_session::answer{};
    }
    return ops::find_auth_session::answer{{*session, *std::move(owner), now}};
}

result<bool> sql_tables::perform(const ops::renew_auth_session& request) {
    const wall_time now = clock_.now();
    const std::int64_t renewed = db_.run(
        "UPDATE auth_sessions SET expires_at = ?2 WHERE hash = ?1 AND expires_at > ?3",
        request.hash,
        now + request.lifetime,
        now
    );
    return renewed > 0;
}

result<bool> sql_tables::perform(const ops::delete_auth_session& request) {
    const wall_time now = clock_.now();
    const std::int64_t gone = db_.run(
        "DELETE FROM auth_sessions WHERE hash = ?1 AND expires_at > ?2", request.hash, now
    );
    if (gone == 0) {
        return false;
    }
    insert_audit(db_, request.audit, now);
    return true;
}

result<std::monostate> sql_tables::perform(const ops::delete_auth_sessions& request) {
    db_.run(
        "DELETE FROM auth_sessions WHERE user_id = ?1 AND organization_id = ?2",
        request.user,
        request.organization
    );
    return std::monostate{};
}

// -- links -------------------------------------------------------------------------------------------

result<one_time_link> sql_tables::perform(const ops::create_link& request) {
    one_time_link added = request.link;
    if (!is_active(db_, added.organization, added.user)) {
        return errc::not_found;
    }
    if (db_.exists("SELECT 1 FROM one_time_links WHERE hash = ?1", added.hash)) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    added.expires_at = now + request.lifetime;
    db_.run(forget_links, now);
    db_.run("DELETE FROM one_time_links WHERE user_id = ?1 AND kind = ?2", added.user, added.kind);
    db_.run(
        "INSERT INTO one_time_links (hash, organization_id, user_id, kind, expires_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5)",
        added.hash,
        added.organization,
        added.user,
        added.kind,
        added.expires_at
    );
    insert_audit(db_, request.audit, now);
    return added;
}

result<std::optional<one_time_link>> sql_tables::perform(const ops::find_link& request) {
    static const std::string text = select_links("WHERE hash = ?1 AND expires_at > ?2");
    return first_of(db_.select(text, request.hash, clock_.now()), read_link);
}

result<ops::consume_link::used> sql_tables::perform(const ops::consume_link& request) {
    static const std::string text = select_links("WHERE hash = ?1 AND expires_at > ?2");
    const wall_time now = clock_.now();
    const std::optional<one_time_link> link = first_of(
        db_.select(text, request.hash, now), read_link
    );
    if (!link || std::ranges::find(request.kinds, link->kind) == request.kinds.end()) {
        return errc::not_found;
    }
    std::optional<user> owner = find_user(db_, link->organization, link->user);
    if (!owner || !owner->is_active) {
        return errc::not_found;
    }
    db_.run("DELETE FROM one_time_links WHERE hash = ?1", request.hash);
    if (request.password_hash) {
        owner->password_hash = *request.password_hash;
        db_.run(
            "UPDATE users SET password_hash = ?2 WHERE id = ?1", owner->id, *request.password_hash
        );
        end_sessions_and_links(db_, owner->id);
    }
    insert_audit(db_, request.audit, now);
    return ops::consume_link::used{*link, *std::move(owner)};
}

// -- audit trail -------------------------------------------------------------------------------------

result<std::int64_t> sql_tables::perform(const ops::append_audit& request) {
    return insert_audit(db_, request.entry, clock_.now());
}

result<std::vector<audit_entry>> sql_tables::perform(const ops::list_audit& request) {
    return collect(
        db_.select(
            "SELECT sequence, organization_id, actor, action, target, peer, at, details FROM "
            "audit_log WHERE organization_id = ?1 AND sequence < ?2 ORDER BY sequence DESC LIMIT "
            "?3",
            request.organization,
            request.before.value_or(std::numeric_limits<std::int64_t>::max()),
            request.limit
        ),
        [](query& row) {
            audit_entry found;
            row.read(
                found.sequence,
                found.organization,
                found.actor,
                found.action,
                found.target,
                found.peer,
                found.at,
                found.details
            );
            return found;
        }
    );
}

// -- requests that are repeated ----------------------------------------------------------------------

result<ops::begin_request::outcome> sql_tables::perform(const ops::begin_request& request) {
    const wall_time now = clock_.now();
    db_.run(forget_requests, now);
    std::optional<request_row> known = find_request_row(db_, request.key, now);
    if (known) {
        if (known->request_hash != request.request_hash) {
            return errc::idempotency_key_reused;
        }
        const bool is_given_up = !known->status && known->started_at + request.patience <= now;
        if (!is_given_up) {
            return outcome_of(*std::move(known));
        }
    }
    // Rises over abandoned ones too, whose rows are gone.
    const std::int64_t attempt = std::max(
        known ? known->attempt + 1 : 1, now.time_since_epoch().count()
    );
    db_.run(
        "INSERT INTO request_answers (organization_id, route, key, request_hash, attempt, "
        "started_at, expires_at, status, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, '') "
        "ON CONFLICT (organization_id, route, key) DO UPDATE SET request_hash = ?4, attempt = ?5, "
        "started_at = ?6, expires_at = ?7, status = NULL, body = ''",
        request.key.organization,
        request.key.route,
        request.key.key,
        request.request_hash,
        attempt,
        now,
        now + ops::request_lifetime
    );
    return ops::begin_request::outcome{ops::request_state::started, attempt, 0, {}};
}

result<std::monostate> sql_tables::perform(const ops::finish_request& request) {
    const std::int64_t finished = db_.run(
        "UPDATE request_answers SET status = ?5, body = ?6 WHERE organization_id = ?1 AND route = "
        "?2 AND key = ?3 AND attempt = ?4 AND status IS NULL AND expires_at > ?7",
        request.key.organization,
        request.key.route,
        request.key.key,
        request.attempt,
        request.status,
        request.body,
        clock_.now()
    );
    if (finished == 0) {
        return errc::claim_lost;
    }
    return std::monostate{};
}

result<std::monostate> sql_tables::perform(const ops::abandon_request& request) {
    db_.run(
        "DELETE FROM request_answers WHERE organization_id = ?1 AND route = ?2 AND key = ?3 AND "
        "attempt = ?4 AND status IS NULL",
        request.key.organization,
        request.key.route,
        request.key.key,
        request.attempt
    );
    return std::monostate{};
}

result<std::optional<ops::begin_request::outcome>> sql_tables::perform(
    const ops::find_request& request
) {
    std::optional<request_row> known = find_request_row(db_, request.key, clock_.now());
    if (!known) {
        return std::optional<ops::begin_request::outcome>{};
    }
    if (known->request_hash != request.request_hash) {
        return errc::idempotency_key_reused;
    }
    return std::optional{outcome_of(*std::move(known))};
}

}  // namespace convene::sql
