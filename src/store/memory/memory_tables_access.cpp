// SPDX-License-Identifier: Apache-2.0
// The memory tables: organisations, users, tokens, sessions, links, the audit trail, repeated requests.
#include <algorithm>
#include <ranges>

#include "store/access_rules.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

// -- rows and rules -------------------------------------------------------------------------------

user* access_tables::find_user(const organization_id& organization, const user_id& id) {
    const auto known = users.find(id);
    const bool is_theirs = known != users.end() && known->second.organization == organization;
    return is_theirs ? &known->second : nullptr;
}

bool access_tables::is_active(const organization_id& organization, const user_id& id) {
    const user* const known = find_user(organization, id);
    return known != nullptr && known->is_active;
}

bool access_tables::has_other_admin(const user& one) const {
    return std::ranges::any_of(users | std::views::values, [&one](const user& other) {
        return other.organization == one.organization && other.id != one.id && other.is_active &&
               other.role == user_role::admin;
    });
}

bool access_tables::can_add(const user& wanted) const {
    return !users.contains(wanted.id) && !emails.contains(email_key(wanted.email));
}

const user& access_tables::add_user(user added, wall_time now) {
    added.created_at = now;
    emails.emplace(email_key(added.email), added.id);
    return users.emplace(added.id, std::move(added)).first->second;
}

void access_tables::end_sessions_and_links(const user_id& id) {
    std::erase_if(sessions, [&id](const auto& row) { return row.second.user == id; });
    std::erase_if(links, [&id](const auto& row) { return row.second.user == id; });
}

std::int64_t access_tables::note(audit_entry entry, wall_time now) {
    entry.sequence = ++last_audit;
    entry.at = now;
    audit.emplace(entry.sequence, std::move(entry));
    return last_audit;
}

void access_tables::note(const std::optional<audit_entry>& entry, wall_time now) {
    if (entry) {
        note(*entry, now);
    }
}

// -- organisations --------------------------------------------------------------------------------

result<organization> memory_tables::apply(const ops::create_organization& request) {
    const organization_id& id = request.organization.id;
    const bool is_leaving = std::ranges::find(erasures_, id) != erasures_.end();
    const bool is_known = access_.organizations.contains(id) || is_leaving;
    if (is_known || (request.first_user && !access_.can_add(*request.first_user))) {
        return errc::already_exists;
    }
    organization added = request.organization;
    added.created_at = clock_.now();
    access_.organizations.emplace(added.id, added);
    if (request.first_user) {
        user first = *request.first_user;
        first.organization = added.id;
        access_.add_user(std::move(first), added.created_at);
    }
    access_.note(request.audit, added.created_at);
    return added;
}

result<organization> memory_tables::apply(const ops::get_organization& request) {
    const auto known = access_.organizations.find(request.id);
    if (known == access_.organizations.end()) {
        return errc::not_found;
    }
    return known->second;
}

result<std::vector<organization>> memory_tables::apply(const ops::list_organizations&) {
    std::vector<organization> found;
    std::ranges::copy(access_.organizations | std::views::values, std::back_inserter(found));
    return found;
}

// -- users ----------------------------------------------------------------------------------------

result<user> memory_tables::apply(const ops::create_user& request) {
    if (!access_.organizations.contains(request.user.organization)) {
        return errc::not_found;
    }
    if (!access_.can_add(request.user)) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    const user added = access_.add_user(request.user, now);
    access_.note(request.audit, now);
    return added;
}

result<user> memory_tables::apply(const ops::get_user& request) {
    const user* const known = access_.find_user(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    return *known;
}

result<std::optional<user>> memory_tables::apply(const ops::find_user_by_email& request) {
    const auto known = access_.emails.find(email_key(request.email));
    if (known == access_.emails.end()) {
        return std::optional<user>{};
    }
    return std::optional{access_.users.at(known->second)};
}

result<std::vector<user>> memory_tables::apply(const ops::list_users& request) {
    std::vector<user> found;
    for (auto next = access_.users.upper_bound(request.after);
         next != access_.users.end() && found.size() < request.limit;
         ++next) {
        if (next->second.organization == request.organization) {
            found.push_back(next->second);
        }
    }
    return found;
}

result<user> memory_tables::apply(const ops::update_user& request) {
    user* const known = access_.find_user(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    user changed = changed_by(*known, request);
    if (gives_up_admin(*known, changed) && !access_.has_other_admin(*known)) {
        return errc::last_admin;
    }

    if (!changed.is_active || request.password_hash) {
        access_.end_sessions_and_links(changed.id);
    }
    std::erase_if(access_.tokens, [&changed](const auto& row) {
        const api_token& token = row.second;
        const bool says_more = !changed.is_active || !includes(changed.role, token.role);
        return token.created_by == changed.id && says_more;
    });
    access_.note(request.audit, clock_.now());
    *known = std::move(changed);
    return *known;
}

// -- API tokens -----------------------------------------------------------------------------------

result<api_token> memory_tables::apply(const ops::create_api_token& request) {
    if (!access_.organizations.contains(request.token.organization)) {
        return errc::not_found;
    }
    const bool is_known = std::ranges::any_of(
        access_.tokens | std::views::values,
        [&request](const api_token& token) {
            return token.id == request.token.id || token.hash == request.token.hash;
        }
    );
    if (is_known) {
        return errc::already_exists;
    }
    api_token added = request.token;
    added.created_at = clock_.now();
    added.last_used_at.reset();
    access_.tokens.emplace(added.hash, added);
    access_.note(request.audit, added.created_at);
    return added;
}

result<ops::find_api_token::answer> memory_tables::apply(const ops::find_api_token& request) {
    const wall_time now = clock_.now();
    const auto known = access_.tokens.find(request.hash);
    if (known == access_.tokens.end() ||
        (known->second.expires_at && *known->second.expires_at <= now)) {
        return ops::find_api_token::answer{};
    }
    return ops::find_api_token::answer{{known->second, now}};
}

result<std::vector<api_token>> memory_tables::apply(const ops::list_api_tokens& request) {
    std::vector<api_token> found;
    for (const auto& [hash, token] : access_.tokens) {
        if (token.organization == request.organization) {
            found.push_back(token);
        }
    }
    std::ranges::sort(found, {}, &api_token::id);
    return found;
}

result<std::monostate> memory_tables::apply(const ops::revoke_api_token& request) {
    const std::size_t gone = std::erase_if(access_.tokens, [&request](const auto& row) {
        return row.second.organization == request.organization && row.second.id == request.id;
    });
    if (gone == 0) {
        return errc::not_found;
    }
    access_.note(request.audit, clock_.now());
    return std::monostate{};
}

result<std::monostate> memory_tables::apply(const ops::touch_api_token& request) {
    const auto known = access_.tokens.find(request.hash);
    if (known != access_.tokens.end()) {
        known->second.last_used_at = clock_.now();
    }
    return std::monostate{};
}

// -- browser sessions -----------------------------------------------------------------------------

result<auth_session> memory_tables::apply(const ops::create_auth_session& request) {
    const user* const owner = access_.find_user(request.session.organization, request.session.user);
    if (owner == nullptr || !owner->is_active ||
        request.expected_password_hash.value_or(owner->password_hash) != owner->password_hash) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    std::erase_if(access_.sessions, [now](const auto& row) {
        return row.second.expires_at <= now;
    });
    if (access_.sessions.contains(request.session.hash)) {
        return errc::already_exists;
    }
    auth_session added = request.session;
    added.created_at = now;
    added.expires_at = now + request.lifetime;
    access_.sessions.emplace(added.hash, added);
    access_.note(request.audit, now);
    return added;
}

result<ops::find_auth_session::answer> memory_tables::apply(const ops::find_auth_session& request) {
    const wall_time now = clock_.now();
    const auto known = access_.sessions.find(request.hash);
    if (known == access_.sessions.end() || known->second.expires_at <= now) {
        return ops::find_auth_session::answer{};
    }
    const auth_session& session = known->second;
    return ops::find_auth_session::answer{{session, access_.users.at(session.user), now}};
}

result<bool> memory_tables::apply(const ops::renew_auth_session& request) {
    const wall_time now = clock_.now();
    const auto known = access_.sessions.find(request.hash);
    if (known == access_.sessions.end() || known->second.expires_at <= now) {
        return false;
    }
    known->second.expires_at = now + request.lifetime;
    return true;
}

result<bool> memory_tables::apply(const ops::delete_auth_session& request) {
    const wall_time now = clock_.now();
    const auto known = access_.sessions.find(request.hash);
    if (known == access_.sessions.end() || known->second.expires_at <= now) {
        return false;
    }
    access_.sessions.erase(known);
    access_.note(request.audit, now);
    return true;
}

result<std::monostate> memory_tables::apply(const ops::delete_auth_sessions& request) {
    std::erase_if(access_.sessions, [&request](const auto& row) {
        const auth_session& session = row.second;
        return session.organization == request.organization && session.user == request.user;
    });
    return std::monostate{};
}

// -- links ----------------------------------------------------------------------------------------

result<one_time_link> memory_tables::apply(const ops::create_link& request) {
    if (!access_.is_active(request.link.organization, request.link.user)) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    if (access_.links.contains(request.link.hash)) {
        return errc::already_exists;
    }
    std::erase_if(access_.links, [&request, now](const auto& row) {
        const one_time_link& link = row.second;
        const bool is_replaced = link.user == request.link.user && link.kind == request.link.kind;
        return is_replaced || link.expires_at <= now;
    });
    one_time_link added = request.link;
    added.expires_at = now + request.lifetime;
    access_.links.emplace(added.hash, added);
    access_.note(request.audit, now);
    return added;
}

result<std::optional<one_time_link>> memory_tables::apply(const ops::find_link& request) {
    const auto known = access_.links.find(request.hash);
    if (known == access_.links.end() || known->second.expires_at <= clock_.now()) {
        return std::optional<one_time_link>{};
    }
    return std::optional{known->second};
}

result<ops::consume_link::used> memory_tables::apply(const ops::consume_link& request) {
    const wall_time now = clock_.now();
    const auto known = access_.links.find(request.hash);
    if (known == access_.links.end() || known->second.expires_at <= now ||
        std::ranges::find(request.kinds, known->second.kind) == request.kinds.end()) {
        return errc::not_found;
    }
    const one_time_link link = known->second;
    access_.links.erase(known);
    user& owner = access_.users.at(link.user);
    if (request.password_hash) {
        owner.password_hash = *request.password_hash;
        access_.end_sessions_and_links(owner.id);
    }
    access_.note(request.audit, now);
    return ops::consume_link::used{link, owner};
}

// -- audit trail ----------------------------------------------------------------------------------

result<std::int64_t> memory_tables::apply(const ops::append_audit& request) {
    return access_.note(request.entry, clock_.now());
}

result<std::vector<audit_entry>> memory_tables::apply(const ops::list_audit& request) {
    std::vector<audit_entry> found;
    for (const auto& [sequence, entry] : access_.audit | std::views::reverse) {
        if (found.size() >= request.limit) {
            break;
        }
        const bool is_earlier = !request.before || entry.sequence < *request.before;
        if (entry.organization == request.organization && is_earlier) {
            found.push_back(entry);
        }
    }
    return found;
}

// -- requests that are repeated -------------------------------------------------------------------

namespace {

ops::begin_request::outcome outcome_of(const access_tables::request_row& row) {
    using enum ops::request_state;
    if (!row.status) {
        return {running, row.attempt, 0, {}};
    }
    return {finished, row.attempt, *row.status, row.body};
}

}  // namespace

result<ops::begin_request::outcome> memory_tables::apply(const ops::begin_request& request) {
    const wall_time now = clock_.now();
    std::erase_if(access_.requests, [now](const auto& row) {
        return row.second.expires_at <= now;
    });
    access_tables::request_row& row = access_.requests[request.key];
    const bool is_claimed = row.attempt != 0;
    if (is_claimed) {
        if (row.request_hash != request.request_hash) {
            return errc::idempotency_key_reused;
        }
        const bool is_given_up = !row.status && row.started_at + request.patience <= now;
        if (!is_given_up) {
            return outcome_of(row);
        }
    }
    row.request_hash = request.request_hash;
    // Rises over abandoned ones too, whose rows are gone.
    row.attempt = std::max(row.attempt + 1, now.time_since_epoch().count());
    row.started_at = now;
    row.expires_at = now + ops::request_lifetime;
    return ops::begin_request::outcome{ops::request_state::started, row.attempt, 0, {}};
}

result<std::monostate> memory_tables::apply(const ops::finish_request& request) {
    const auto known = access_.requests.find(request.key);
    if (known == access_.requests.end() || known->second.attempt != request.attempt ||
        known->second.status || known->second.expires_at <= clock_.now()) {
        return errc::claim_lost;
    }
    known->second.status = request.status;
    known->second.body = request.body;
    return std::monostate{};
}

result<std::monostate> memory_tables::apply(const ops::abandon_request& request) {
    const auto known = access_.requests.find(request.key);
    if (known != access_.requests.end() && known->second.attempt == request.attempt &&
        !known->second.status) {
        access_.requests.erase(known);
    }
    return std::monostate{};
}

result<std::optional<ops::begin_request::outcome>> memory_tables::apply(
    const ops::find_request& request
) {
    const auto known = access_.requests.find(request.key);
    if (known == access_.requests.end() || known->second.expires_at <= clock_.now()) {
        return std::optional<ops::begin_request::outcome>{};
    }
    if (known->second.request_hash != request.request_hash) {
        return errc::idempotency_key_reused;
    }
    return std::optional{outcome_of(known->second)};
}

}  // namespace convene
