// SPDX-License-Identifier: Apache-2.0
// Access control: checks, secrets and hashes around the store's operations.
#include "access/access_service.hpp"

#include <utility>

#include "access/csrf.hpp"
#include "access/field_rules.hpp"
#include "access/secret_token.hpp"
#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "store/operations/retention.hpp"

namespace convene {

namespace {

access_settings without_secret(access_settings settings) {
    settings.bootstrap_token.clear();
    return settings;
}

audit_entry audited(
    const access_caller& caller,
    std::string_view action,
    std::string_view target,
    json_text details = {}
) {
    audit_entry entry;
    entry.organization = caller.who.organization;
    entry.actor = caller.who.actor();
    entry.action = action;
    entry.target = target;
    entry.details = std::move(details);
    entry.peer = caller.peer;
    return entry;
}

json_text details_of_role(user_role role) {
    json_writer out;
    out.begin_object();
    out.key("role").string(word_of(role));
    out.end_object();
    return out.take();
}

json_text details_of_link(link_kind kind) {
    json_writer out;
    out.begin_object();
    out.key("kind").string(word_of(kind));
    out.end_object();
    return out.take();
}

json_text details_of(const user_change& change) {
    json_writer out;
    out.begin_object();
    if (change.display_name) {
        out.key("display_name").string(*change.display_name);
    }
    if (change.is_active) {
        out.key("is_active").boolean(*change.is_active);
    }
    if (change.role) {
        out.key("role").string(word_of(*change.role));
    }
    out.end_object();
    return out.take();
}

void note_refused_login(std::string_view why, const std::string& peer) {
    // Without the email: people type passwords there.
    log(log_level::warn, "login_refused", {{"reason", why}, {"peer", std::string_view{peer}}});
}

}  // namespace

access_service::access_service(access_parts parts, const access_settings& settings)
    : where_(*parts.where),
      store_(*parts.store),
      random_(*parts.random),
      passwords_(*parts.passwords),
      settings_(without_secret(settings)),
      ids_(*parts.clock, *parts.random),
      who_(*parts.where, *parts.store, settings),
      limiter_(settings.limits) {}

// -- beginning ------------------------------------------------------------------------------------

awaitable<result<>> access_service::bootstrap() {
    ops::get_organization wanted{settings_.first_organization};
    const auto known = co_await store_.run(std::move(wanted));
    if (known) {
        co_return result<>{};
    }
    if (known.error() != errc::not_found) {
        co_return known.error();
    }
    user admin;
    admin.id = ids_.next<user_id>();
    admin.organization = settings_.first_organization;
    admin.email = settings_.first_email;
    admin.display_name = "Administrator";
    admin.role = user_role::admin;
    audit_entry told;
    told.organization = settings_.first_organization;
    told.action = "organization.created";
    told.target = settings_.first_organization.str();
    ops::create_organization creation;
    creation.organization.id = settings_.first_organization;
    creation.organization.name = "Default";
    creation.first_user = std::move(admin);
    creation.audit = std::move(told);
    const auto created = co_await store_.run(std::move(creation));
    // Another worker may have been faster.
    if (!created && created.error() != errc::already_exists) {
        co_return created.error();
    }
    co_return result<>{};
}

awaitable<result<user_id>> access_service::find_first_admin() {
    constexpr std::size_t page = 100;
    ops::list_users next{settings_.first_organization, user_id{}, page};
    for (;;) {
        const auto users = co_await store_.run(next);
        if (!users) {
            co_return users.error();
        }
        for (const user& candidate : *users) {
            if (candidate.is_active && candidate.role == user_role::admin) {
                co_return candidate.id;
            }
        }
        if (users->size() < page) {
            co_return errc::not_found;
        }
        next.after = users->back().id;
    }
}

awaitable<result<made_link>> access_service::make_login_link() {
    result<user_id> admin = co_await find_first_admin();
    if (!admin) {
        co_return admin.error();
    }
    access_caller nobody;
    nobody.who.organization = settings_.first_organization;
    nobody.who.token = bootstrap_token_id();
    auto making = make_link(
        std::move(nobody), settings_.first_organization, *std::move(admin), link_kind::login
    );
    result<made_link> made = co_await std::move(making);
    co_return made;
}

std::chrono::seconds access_service::lifetime_of(link_kind kind) const {
    switch (kind) {
        case link_kind::login:
            return settings_.login_link_lifetime;
        case link_kind::invitation:
            return settings_.invitation_lifetime;
        case link_kind::password_reset:
            return settings_.reset_lifetime;
    }
    return {};
}

awaitable<result<made_link>> access_service::make_link(
    access_caller caller, organization_id organization, user_id owner, link_kind kind
) {
    secret_token secret = make_secret(secret_kind::link, random_);
    ops::create_link creation;
    creation.audit = audited(caller, "link.created", owner.str(), details_of_link(kind));
    creation.link.hash = std::move(secret.hash);
    creation.link.organization = std::move(organization);
    creation.link.user = std::move(owner);
    creation.link.kind = kind;
    creation.lifetime = lifetime_of(kind);
    const auto created = co_await store_.run(std::move(creation));
    if (!created) {
        co_return created.error();
    }
    co_return made_link{std::move(secret.text), created->expires_at};
}

// -- logging in and out ---------------------------------------------------------------------------

awaitable<result<logged_in>> access_service::log_in(
    std::string email, std::string password, std::string peer
) {
    // What can be nobody's is refused before it costs anything: that tells nothing about who exists.
    if (!check_email(email, "email") || !check_password(password, "password")) {
        email.clear();
    }
    if (limiter_.attempt(peer, email, where_.now()) > std::chrono::seconds::zero()) {
        note_refused_login("too_many_attempts", peer);
        co_return errc::too_many_attempts;
    }
    if (email.empty()) {
        note_refused_login("bad_credentials", peer);
        co_return errc::bad_credentials;
    }
    ops::find_user_by_email wanted{email};
    const auto found = co_await store_.run(std::move(wanted));
    if (!found) {
        co_return found.error();
    }
    const std::optional<user>& known = *found;
    // Whoever is not there costs the same hash.
    std::string stored = known && known->is_active ? known->password_hash : std::string{};
    auto verification = passwords_.verify(std::move(password), std::move(stored));
    const result<bool> matches = co_await std::move(verification);
    if (!matches) {
        co_return matches.error();
    }
    if (!*matches) {
        note_refused_login("bad_credentials", peer);
        co_return errc::bad_credentials;
    }
    limiter_.succeeded(peer, email);
    result<logged_in> opened = co_await open_session(*known, std::move(peer), "auth.login");
    co_return opened;
}

awaitable<result<logged_in>> access_service::log_in_by_link(std::string link, std::string peer) {
    if (limiter_.attempt(peer, {}, where_.now()) > std::chrono::seconds::zero()) {
        note_refused_login("too_many_attempts", peer);
        co_return errc::too_many_attempts;
    }
    const secret_hash hash = hash_of_secret(link);
    ops::consume_link use;
    use.hash = hash;
    use.kinds = {link_kind::login};
    auto used = co_await store_.run(std::move(use));
    if (used) {
        limiter_.succeeded(peer, used->user.email);
        auto opening = open_session(std::move(used->user), std::move(peer), "auth.login_by_link");
        result<logged_in> opened = co_await std::move(opening);
        co_return opened;
    }
    if (used.error() != errc::not_found) {
        co_return used.error();
    }
    // A link of another kind is still good, for what it was made for.
    ops::find_link wanted{hash};
    const auto other = co_await store_.run(std::move(wanted));
    if (!other) {
        co_return other.error();
    }
    if (*other) {
        co_return errc::password_needed;
    }
    note_refused_login("bad_link", peer);
    co_return errc::bad_credentials;
}

awaitable<result<logged_in>> access_service::set_password(
    std::string link, std::string password, std::string peer
) {
    if (!check_password(password, "password")) {
        co_return errc::invalid_argument;
    }
    if (limiter_.attempt(peer, {}, where_.now()) > std::chrono::seconds::zero()) {
        note_refused_login("too_many_attempts", peer);
        co_return errc::too_many_attempts;
    }
    // Looked at first: a guess costs no hash, and a link is not lost should the hash fail.
    const secret_hash hash = hash_of_secret(link);
    ops::find_link wanted{hash};
    const auto found = co_await store_.run(std::move(wanted));
    if (!found) {
        co_return found.error();
    }
    if (!*found || (*found)->kind == link_kind::login) {
        note_refused_login("bad_link", peer);
        co_return errc::bad_credentials;
    }
    result<std::string> hashed = co_await passwords_.hash(std::move(password));
    if (!hashed) {
        co_return hashed.error();
    }
    access_caller owner;
    owner.who.organization = (*found)->organization;
    owner.who.user = (*found)->user;
    owner.peer = peer;
    ops::consume_link use;
    use.hash = hash;
    use.kinds = {link_kind::invitation, link_kind::password_reset};
    use.password_hash = *std::move(hashed);
    use.audit = audited(owner, "auth.password_set", owner.who.user.str());
    auto used = co_await store_.run(std::move(use));
    who_.forget_all();
    if (!used) {
        const bool is_gone = used.error() == errc::not_found;
        co_return is_gone ? make_error_code(errc::bad_credentials) : used.error();
    }
    limiter_.succeeded(peer, used->user.email);
    auto opening = open_session(std::move(used->user), std::move(peer), "auth.login");
    result<logged_in> opened = co_await std::move(opening);
    co_return opened;
}

awaitable<result<logged_in>> access_service::change_password(
    access_caller caller, std::string current, std::string password
) {
    if (!caller.who.is_user()) {
        co_return errc::not_authorized;
    }
    if (!check_password(password, "password")) {
        co_return errc::invalid_argument;
    }
    ops::get_user wanted{caller.who.organization, caller.who.user};
    const auto known = co_await store_.run(std::move(wanted));
    if (!known) {
        co_return known.error();
    }
    if (!known->password_hash.empty()) {
        // A session that was left open is no way to guess the password.
        if (limiter_.attempt(caller.peer, known->email, where_.now()) >
            std::chrono::seconds::zero()) {
            note_refused_login("too_many_attempts", caller.peer);
            co_return errc::too_many_attempts;
        }
        auto verification = passwords_.verify(std::move(current), known->password_hash);
        const result<bool> matches = co_await std::move(verification);
        if (!matches) {
            co_return matches.error();
        }
        if (!*matches) {
            note_refused_login("bad_credentials", caller.peer);
            co_return errc::bad_credentials;
        }
        limiter_.succeeded(caller.peer, known->email);
    }
    result<std::string> hashed = co_await passwords_.hash(std::move(password));
    if (!hashed) {
        co_return hashed.error();
    }
    ops::update_user update;
    update.organization = caller.who.organization;
    update.id = caller.who.user;
    update.password_hash = *std::move(hashed);
    update.audit = audited(caller, "auth.password_changed", caller.who.user.str());
    result<user> updated = co_await store_.run(std::move(update));
    who_.forget_all();
    if (!updated) {
        co_return updated.error();
    }
    auto opening = open_session(*std::move(updated), std::move(caller.peer), "auth.login");
    result<logged_in> opened = co_await std::move(opening);
    co_return opened;
}

std::chrono::seconds access_service::login_wait(std::string_view peer, std::string_view email)
    const {
    return limiter_.wait_of(peer, email, where_.now());
}

awaitable<result<logged_in>> access_service::open_session(
    user owner, std::string peer, std::string action
) {
    secret_token secret = make_secret(secret_kind::session, random_);
    access_caller caller;
    caller.who = signed_in_user(owner, secret.hash);
    caller.peer = std::move(peer);
    ops::create_auth_session creation;
    creation.session.hash = std::move(secret.hash);
    creation.session.organization = owner.organization;
    creation.session.user = owner.id;
    creation.lifetime = settings_.session_lifetime;
    creation.expected_password_hash = owner.password_hash;
    creation.audit = audited(caller, action, owner.id.str());
    const auto created = co_await store_.run(std::move(creation));
    if (!created) {
        // The user was made inactive, or got another password, meanwhile.
        const bool is_out = created.error() == errc::not_found;
        co_return is_out ? make_error_code(errc::bad_credentials) : created.error();
    }
    std::string csrf = csrf_value(secret.text);
    co_return logged_in{std::move(caller.who), std::move(secret.text), std::move(csrf)};
}

awaitable<result<>> access_service::log_out(access_caller caller) {
    if (!caller.who.is_user()) {
        co_return result<>{};
    }
    ops::delete_auth_session ending;
    ending.hash = caller.who.credential;
    ending.audit = audited(caller, "auth.logout", caller.who.user.str());
    const auto ended = co_await store_.run(std::move(ending));
    who_.forget_all();
    if (!ended) {
        co_return ended.error();
    }
    co_return result<>{};
}

// -- organisation and users -----------------------------------------------------------------------

awaitable<result<organization>> access_service::organization_of(signed_in who) {
    ops::get_organization wanted{std::move(who.organization)};
    result<organization> found = co_await store_.run(std::move(wanted));
    co_return found;
}

awaitable<result<std::vector<organization>>> access_service::list_organizations(access_caller caller
) {
    if (!includes(caller.who.role, user_role::admin) || !is_first(caller.who.organization)) {
        co_return errc::not_authorized;
    }
    ops::list_organizations wanted;
    auto found = co_await store_.run(std::move(wanted));
    co_return found;
}

awaitable<result<founded_organization>> access_service::create_organization(
    access_caller caller, std::string name, std::string email, std::string display_name
) {
    if (!includes(caller.who.role, user_role::admin) || !is_first(caller.who.organization)) {
        co_return errc::not_authorized;
    }
    if (!check_name(name, "name") || !check_email(email, "admin_email") ||
        !check_name(display_name, "admin_name")) {
        co_return errc::invalid_argument;
    }
    user admin;
    admin.id = ids_.next<user_id>();
    admin.email = std::move(email);
    admin.display_name = std::move(display_name);
    admin.role = user_role::admin;
    ops::create_organization creation;
    creation.organization.id = ids_.next<organization_id>();
    creation.organization.name = std::move(name);
    admin.organization = creation.organization.id;
    creation.first_user = admin;
    creation.audit = audited(caller, "organization.created", creation.organization.id.str());
    auto created = co_await store_.run(std::move(creation));
    if (!created) {
        co_return created.error();
    }
    auto inviting = make_link(std::move(caller), created->id, admin.id, link_kind::invitation);
    result<made_link> link = co_await std::move(inviting);
    if (!link) {
        co_return link.error();
    }
    co_return founded_organization{*std::move(created), std::move(admin), *std::move(link)};
}

awaitable<result<>> access_service::erase_organization(access_caller caller, organization_id id) {
    const bool is_deployments = is_first(caller.who.organization);
    if (!is_deployments && id != caller.who.organization) {
        co_return errc::not_found;
    }
    if (!includes(caller.who.role, user_role::admin) || is_first(id)) {
        co_return errc::not_authorized;
    }
    ops::begin_erasure erasure;
    erasure.audit = audited(caller, "organization.erased", id.str());
    erasure.organization = std::move(id);
    const auto begun = co_await store_.run(std::move(erasure));
    who_.forget_all();
    if (!begun) {
        co_return begun.error();
    }
    co_return *begun ? result<>{} : result<>{errc::not_found};
}

awaitable<result<std::vector<user>>> access_service::list_users(
    access_caller caller, user_id after, std::size_t limit
) {
    if (!includes(caller.who.role, user_role::operator_)) {
        co_return errc::not_authorized;
    }
    ops::list_users wanted{caller.who.organization, std::move(after), limit};
    result<std::vector<user>> found = co_await store_.run(std::move(wanted));
    co_return found;
}

awaitable<result<invited_user>> access_service::create_user(
    access_caller caller, std::string email, std::string display_name, user_role role
) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    if (!check_email(email, "email") || !check_name(display_name, "display_name")) {
        co_return errc::invalid_argument;
    }
    ops::create_user creation;
    creation.user.id = ids_.next<user_id>();
    creation.user.organization = caller.who.organization;
    creation.user.email = std::move(email);
    creation.user.display_name = std::move(display_name);
    creation.user.role = role;
    creation.audit = audited(caller, "user.created", creation.user.id.str(), details_of_role(role));
    result<user> created = co_await store_.run(std::move(creation));
    if (!created) {
        co_return created.error();
    }
    organization_id organization = caller.who.organization;
    auto inviting = make_link(
        std::move(caller), std::move(organization), created->id, link_kind::invitation
    );
    result<made_link> link = co_await std::move(inviting);
    if (!link) {
        co_return link.error();
    }
    co_return invited_user{*std::move(created), *std::move(link)};
}

awaitable<result<user>> access_service::update_user(
    access_caller caller, user_id id, user_change change
) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    if (change.display_name && !check_name(*change.display_name, "display_name")) {
        co_return errc::invalid_argument;
    }
    ops::update_user update;
    update.audit = audited(caller, "user.updated", id.str(), details_of(change));
    update.organization = caller.who.organization;
    update.id = std::move(id);
    update.display_name = std::move(change.display_name);
    update.role = change.role;
    update.is_active = change.is_active;
    result<user> updated = co_await store_.run(std::move(update));
    // Whatever came of it: an unknown outcome counts as a change.
    who_.forget_all();
    co_return updated;
}

awaitable<result<made_link>> access_service::make_reset_link(access_caller caller, user_id id) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    organization_id organization = caller.who.organization;
    auto making = make_link(
        std::move(caller), std::move(organization), std::move(id), link_kind::password_reset
    );
    result<made_link> made = co_await std::move(making);
    co_return made;
}

// -- tokens ---------------------------------------------------------------------------------------

awaitable<result<std::vector<api_token>>> access_service::list_tokens(access_caller caller) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    ops::list_api_tokens wanted{caller.who.organization};
    result<std::vector<api_token>> found = co_await store_.run(std::move(wanted));
    co_return found;
}

awaitable<result<made_api_token>> access_service::create_token(
    access_caller caller, std::string name, user_role role, std::optional<wall_time> expires_at
) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    if (!check_name(name, "name")) {
        co_return errc::invalid_argument;
    }
    secret_token secret = make_secret(secret_kind::api_token, random_);
    ops::create_api_token creation;
    creation.token.id = ids_.next<api_token_id>();
    creation.token.organization = caller.who.organization;
    creation.token.name = std::move(name);
    creation.token.role = role;
    creation.token.hash = std::move(secret.hash);
    // What a token makes ends with the person behind that token.
    creation.token.created_by = caller.who.is_user() ? caller.who.user : caller.who.made_by;
    creation.token.expires_at = expires_at;
    creation.audit = audited(
        caller, "token.created", creation.token.id.str(), details_of_role(role)
    );
    result<api_token> created = co_await store_.run(std::move(creation));
    if (!created) {
        co_return created.error();
    }
    co_return made_api_token{*std::move(created), std::move(secret.text)};
}

awaitable<result<>> access_service::revoke_token(access_caller caller, api_token_id id) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    ops::revoke_api_token revocation;
    revocation.audit = audited(caller, "token.revoked", id.str());
    revocation.organization = caller.who.organization;
    revocation.id = std::move(id);
    const auto revoked = co_await store_.run(std::move(revocation));
    who_.forget_all();
    if (!revoked) {
        co_return revoked.error();
    }
    co_return result<>{};
}

// -- audit trail ----------------------------------------------------------------------------------

awaitable<result<std::vector<audit_entry>>> access_service::list_audit(
    access_caller caller, std::optional<std::int64_t> before, std::size_t limit
) {
    if (!includes(caller.who.role, user_role::admin)) {
        co_return errc::not_authorized;
    }
    ops::list_audit wanted{caller.who.organization, before, limit};
    result<std::vector<audit_entry>> found = co_await store_.run(std::move(wanted));
    co_return found;
}

}  // namespace convene
