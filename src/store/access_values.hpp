// SPDX-License-Identifier: Apache-2.0
// Who may use a deployment: organisations, users, API tokens, browser sessions, links, the audit trail.
#pragma once

#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

using user_id = text_id<struct user_tag>;
using api_token_id = text_id<struct api_token_tag>;

/// SHA-256 of a secret in lower-case hexadecimal. A type of its own, so that a secret in clear is never stored
/// by mistake: only `access/secret_token.hpp` makes one.
using secret_hash = text_id<struct secret_hash_tag>;

/// What somebody may do. Each may do all that the one before it may. The numbers are frozen.
enum class user_role : std::int32_t {
    member = 1,     ///< the rooms whose participant they are
    operator_ = 2,  ///< every room, leases, lanes and queues
    admin = 3,      ///< everything in the organisation
};

[[nodiscard]] std::string_view word_of(user_role role) noexcept;
[[nodiscard]] std::optional<user_role> user_role_of(std::string_view word) noexcept;

/// What a link is good for. The numbers are frozen.
enum class link_kind : std::int32_t {
    login = 1,           ///< logs in
    invitation = 2,      ///< sets the first password, and logs in
    password_reset = 3,  ///< sets another password, and logs in
};

[[nodiscard]] std::string_view word_of(link_kind kind) noexcept;

struct organization {
    organization_id id;
    std::string name;
    wall_time created_at{};  ///< the store's clock
};

struct user {
    user_id id;
    organization_id organization;
    std::string email;  ///< as it was typed; see `email_key`
    std::string display_name;
    user_role role = user_role::member;
    bool is_active = true;
    std::string password_hash{};  ///< `access/password.hpp`; empty: no password was set yet
    wall_time created_at{};       ///< the store's clock
};

struct api_token {
    api_token_id id;
    organization_id organization;
    std::string name;
    user_role role = user_role::member;
    secret_hash hash;
    user_id created_by{};  ///< empty: nobody of the organisation
    std::optional<wall_time> expires_at{};
    wall_time created_at{};                   ///< the store's clock
    std::optional<wall_time> last_used_at{};  ///< coarse
};

/// A browser that is logged in.
struct auth_session {
    secret_hash hash;
    organization_id organization;
    user_id user;
    wall_time created_at{};  ///< the store's clock
    wall_time expires_at{};
};

struct one_time_link {
    secret_hash hash;
    organization_id organization;
    user_id user;
    link_kind kind = link_kind::login;
    wall_time expires_at{};
};

/// One line of the audit trail: who did what to what, when, from where.
struct audit_entry {
    std::int64_t sequence = 0;  ///< given by the store; rises
    organization_id organization;
    std::string actor{};   ///< `user:ID`, `token:ID`, `bootstrap` or empty (nobody who is known)
    std::string action{};  ///< a stable word: `user.created`
    std::string target{};  ///< the id of what it was done to
    json_text details{};   ///< an object; never a secret
    std::string peer{};    ///< the network address of the request
    wall_time at{};        ///< the store's clock
};

/// What two spellings of one address have in common: ASCII letters in lower case. Unique in a store.
[[nodiscard]] std::string email_key(std::string_view email);

/// True if a holder of `role` may do what `needed` may.
[[nodiscard]] constexpr bool includes(user_role role, user_role needed) noexcept {
    return role >= needed;
}

}  // namespace convene
