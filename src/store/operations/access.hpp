// SPDX-License-Identifier: Apache-2.0
// Store operations on who may use a deployment, on the audit trail, and on answers to repeated requests.
//
// All times are the store's clock. A change carries the line of the audit trail that tells of it, so that both are
// stored or neither; the store sets its sequence and time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "store/access_values.hpp"

namespace convene::ops {

// -- organisations --------------------------------------------------------------------------------

/// With its first user, so that no crash leaves an organisation that nobody can enter.
/// *Errors*: `already_exists` (the organisation, the user's id or email).
struct create_organization {
    using answer = organization;
    convene::organization organization;
    std::optional<user> first_user;
    std::optional<audit_entry> audit;
};

/// *Errors*: `not_found`.
struct get_organization {
    using answer = organization;
    organization_id id;
};

/// In the order of ids.
struct list_organizations {
    using answer = std::vector<organization>;
};

// -- users ----------------------------------------------------------------------------------------

/// *Errors*: `not_found` (the organisation), `already_exists` (id, or email in whichever organisation).
struct create_user {
    using answer = user;
    convene::user user;
    std::optional<audit_entry> audit;
};

/// *Errors*: `not_found`, also for another organisation.
struct get_user {
    using answer = user;
    organization_id organization;
    user_id id;
};

/// Compares `email_key`s. For logging in: the one look-up that knows no organisation yet.
struct find_user_by_email {
    using answer = std::optional<user>;
    std::string email;
};

/// In the order of ids, those behind `after`.
struct list_users {
    using answer = std::vector<user>;
    organization_id organization;
    user_id after{};
    std::size_t limit = 100;
};

/// Changes what is set. In the same step:
/// a user who is no longer active loses sessions, links, and the tokens they made; one whose role became smaller
/// loses the tokens they made that may do more; a new password ends sessions and links.
/// *Errors*: `not_found`, `last_admin` (the organisation would be left without an active admin).
struct update_user {
    using answer = user;
    organization_id organization;
    user_id id;
    std::optional<std::string> display_name{};
    std::optional<user_role> role{};
    std::optional<bool> is_active{};
    std::optional<std::string> password_hash{};
    std::optional<audit_entry> audit{};
};

// -- API tokens -----------------------------------------------------------------------------------

/// *Errors*: `not_found` (the organisation), `already_exists` (id or hash).
struct create_api_token {
    using answer = api_token;
    api_token token;
    std::optional<audit_entry> audit;
};

/// A token that has not expired.
struct find_api_token {
    struct found {
        api_token token;
        wall_time now;  ///< the store's clock
    };

    using answer = std::optional<found>;
    secret_hash hash;
};

/// In the order of ids, with those that have expired.
struct list_api_tokens {
    using answer = std::vector<api_token>;
    organization_id organization;
};

/// The token is gone. *Errors*: `not_found`, also for another organisation.
struct revoke_api_token {
    using answer = std::monostate;
    organization_id organization;
    api_token_id id;
    std::optional<audit_entry> audit;
};

/// Notes that a token was used now; nothing for one that is gone.
struct touch_api_token {
    using answer = std::monostate;
    secret_hash hash;
};

// -- browser sessions -----------------------------------------------------------------------------

/// Removes some that have expired, too.
/// *Errors*: `not_found` (no such active user, or their password is another one now), `already_exists`.
struct create_auth_session {
    using answer = auth_session;
    auth_session session;  ///< hash, organisation and user; the times are set by the store
    std::chrono::seconds lifetime{};
    std::optional<audit_entry> audit{};
    std::optional<std::string> expected_password_hash{};  ///< what the user has proven to know
};

/// A session that has not expired, with its user, who is active.
struct find_auth_session {
    struct found {
        auth_session session;
        convene::user user;
        wall_time now;  ///< the store's clock
    };

    using answer = std::optional<found>;
    secret_hash hash;
};

/// From now on it lives that long. False for one that has ended.
struct renew_auth_session {
    using answer = bool;
    secret_hash hash;
    std::chrono::seconds lifetime{};
};

/// False for one that is not there; then the line of the audit trail is not written either.
struct delete_auth_session {
    using answer = bool;
    secret_hash hash;
    std::optional<audit_entry> audit;
};

struct delete_auth_sessions {
    using answer = std::monostate;
    organization_id organization;
    user_id user;
};

// -- links ----------------------------------------------------------------------------------------

/// Takes the place of the user's earlier links of that kind. Removes some that have expired, too.
/// *Errors*: `not_found` (no such active user), `already_exists`.
struct create_link {
    using answer = one_time_link;
    one_time_link link;  ///< `expires_at` is set by the store
    std::chrono::seconds lifetime{};
    std::optional<audit_entry> audit;
};

/// A link that is still good, without using it up.
struct find_link {
    using answer = std::optional<one_time_link>;
    secret_hash hash;
};

/// Uses a link up: of several callers one succeeds. With a password hash, the user's password becomes that, and
/// their sessions and other links end.
/// *Errors*: `not_found` (unknown, used, expired, of another kind, or the user is not active; nothing changed).
struct consume_link {
    struct used {
        one_time_link link;
        convene::user user;
    };

    using answer = used;
    secret_hash hash;
    std::vector<link_kind> kinds;
    std::optional<std::string> password_hash;
    std::optional<audit_entry> audit;
};

// -- audit trail ----------------------------------------------------------------------------------

/// Answers the sequence it got.
struct append_audit {
    using answer = std::int64_t;
    audit_entry entry;
};

/// Newest first, those before `before` where it is set.
struct list_audit {
    using answer = std::vector<audit_entry>;
    organization_id organization;
    std::optional<std::int64_t> before;
    std::size_t limit = 100;
};

// -- requests that are repeated -------------------------------------------------------------------

/// How long the answer to a request is remembered.
inline constexpr std::chrono::hours request_lifetime{24};

/// A request that changes something, by the caller's idempotency key.
struct request_key {
    organization_id organization;
    std::string route;  ///< `POST /api/v1/rooms`, with whatever else keeps callers apart
    std::string key;

    friend auto operator<=>(const request_key&, const request_key&) = default;
};

enum class request_state {
    started,   ///< by this very operation: the caller does it, then finishes or abandons it
    running,   ///< somebody does it right now
    finished,  ///< status and body are the answer
};

/// Claims the key for 24 hours, unless it is claimed. One that runs for longer than `patience` was given up: it
/// is started anew, and its first runner can't finish it any more.
/// *Errors*: `idempotency_key_reused` (claimed with another hash).
struct begin_request {
    struct outcome {
        request_state state = request_state::started;
        std::int64_t attempt = 0;  ///< names this start when it is finished
        int status = 0;
        std::string body;
    };

    using answer = outcome;
    request_key key;
    std::string request_hash;
    std::chrono::seconds patience{60};
};

/// *Errors*: `claim_lost` (another attempt, finished, or no longer there).
struct finish_request {
    using answer = std::monostate;
    request_key key;
    std::int64_t attempt = 0;
    int status = 0;
    std::string body;
};

/// Gives the key free: nothing was done, so a repetition does it. Nothing for what is not this attempt's.
struct abandon_request {
    using answer = std::monostate;
    request_key key;
    std::int64_t attempt = 0;
};

/// What became of a request, without claiming it; unset: its key is free. One that was given up is `running` until
/// it is started anew. *Errors*: as of `begin_request`.
struct find_request {
    using answer = std::optional<begin_request::outcome>;
    request_key key;
    std::string request_hash;
};

}  // namespace convene::ops
