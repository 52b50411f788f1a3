// SPDX-License-Identifier: Apache-2.0
// Access control as the surfaces use it: logging in and out, users, tokens, links, the audit trail.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/executor.hpp"
#include "convene/random.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "access/access_settings.hpp"
#include "access/authentication.hpp"
#include "access/login_limiter.hpp"
#include "access/password_hasher.hpp"
#include "access/signed_in.hpp"
#include "base/uuid.hpp"
#include "store/store.hpp"

namespace convene {

/// What the service is built from. It owns none of them; they outlive it.
struct access_parts {
    executor* where = nullptr;
    conversation_store* store = nullptr;
    const wall_clock* clock = nullptr;  ///< of ids only
    random_source* random = nullptr;
    password_hasher* passwords = nullptr;
};

/// Who asks for a change, and from where: for the rules and the audit trail.
struct access_caller {
    signed_in who;
    std::string peer{};
};

/// The secret part of `/login#link=TOKEN`. Shown once.
struct made_link {
    std::string token;
    wall_time expires_at{};
};

struct logged_in {
    signed_in who;
    std::string session_secret;  ///< for the cookie
    std::string csrf_token;
};

/// An organisation with its first admin, who is invited.
struct founded_organization {
    organization founded;
    user admin;
    made_link invitation;
};

struct invited_user {
    user invited;
    made_link invitation;
};

struct made_api_token {
    api_token token;
    std::string text;  ///< shown once
};

/// What an admin may change of a user.
struct user_change {
    std::optional<std::string> display_name{};
    std::optional<user_role> role{};
    std::optional<bool> is_active{};
};

/// *Thread safety*: loop only. *Lifetime*: outlives what it runs.
/// *Errors*: each operation's own, and those of the store. What belongs to another organisation is `not_found`;
/// what the caller's role does not allow is `not_authorized`; a text that breaks a rule of `field_rules.hpp` is
/// `invalid_argument`, and surfaces check first to name the field.
class access_service {
   public:
    explicit access_service(access_parts parts, const access_settings& settings = {});

    // -- beginning --------------------------------------------------------------------------------

    /// Gives a fresh store its first organisation and admin. Any number of workers may at once.
    [[nodiscard]] awaitable<result<>> bootstrap();

    /// A link that logs in as an admin of the first organisation: what `./dev up` prints. The one before it is no
    /// longer good. *Requires*: whoever asks may read the store anyway.
    [[nodiscard]] awaitable<result<made_link>> make_login_link();

    // -- who is asking ----------------------------------------------------------------------------

    [[nodiscard]] authentication& who() noexcept { return who_; }

    // -- logging in and out -----------------------------------------------------------------------

    /// *Errors*: `bad_credentials` (whichever of the two it is, and for users who are not active),
    /// `too_many_attempts` (see `login_wait`), `overloaded`.
    [[nodiscard]] awaitable<result<logged_in>> log_in(
        std::string email, std::string password, std::string peer
    );

    /// *Errors*: `bad_credentials`, `too_many_attempts`, `password_needed` (an invitation or a reset; it stays
    /// good).
    [[nodiscard]] awaitable<result<logged_in>> log_in_by_link(std::string link, std::string peer);

    /// Sets the password of an invitation or a reset, ends the user's other sessions, and logs in.
    /// *Errors*: as of `log_in_by_link`, but a login link is `bad_credentials`; `invalid_argument` (the password).
    [[nodiscard]] awaitable<result<logged_in>> set_password(
        std::string link, std::string password, std::string peer
    );

    /// Gives the user of the caller's session another password, ends all their sessions and links, and logs in
    /// again. `current` is needed where the user has a password: then the session alone proves too little. Whoever
    /// came by a login link and has none sets the first one.
    /// *Errors*: `bad_credentials` (`current`), `too_many_attempts`, `not_authorized` (a token),
    /// `invalid_argument` (the password), `overloaded`.
    [[nodiscard]] awaitable<result<logged_in>> change_password(
        access_caller caller, std::string current, std::string password
    );

    /// How long an attempt has to wait; `email` is empty for a link.
    [[nodiscard]] std::chrono::seconds login_wait(std::string_view peer, std::string_view email)
        const;

    /// Ends the caller's session. Nothing for a token.
    [[nodiscard]] awaitable<result<>> log_out(access_caller caller);

    [[nodiscard]] const access_settings& settings() const noexcept { return settings_; }

    [[nodiscard]] conversation_store& store() noexcept { return store_; }

    // -- organisation and users -------------------------------------------------------------------

    [[nodiscard]] awaitable<result<organization>> organization_of(signed_in who);

    /// Whether this is the organisation of those who run the deployment.
    [[nodiscard]] bool is_first(const organization_id& id) const {
        return id == settings_.first_organization;
    }

    /// For admins of the first organisation, as are the other two. In the order of ids.
    [[nodiscard]] awaitable<result<std::vector<organization>>> list_organizations(
        access_caller caller
    );

    /// *Errors*: `already_exists` (the email), `not_authorized`, `invalid_argument`.
    [[nodiscard]] awaitable<result<founded_organization>> create_organization(
        access_caller caller, std::string name, std::string email, std::string display_name
    );

    /// Begins to erase an organisation: at once nobody of it can log in or ask, and the engine erases the rest. An
    /// admin may erase the own one, too; nobody the first.
    /// *Errors*: `not_found`, `not_authorized`.
    [[nodiscard]] awaitable<result<>> erase_organization(access_caller caller, organization_id id);

    /// For operators and admins. In the order of ids, behind `after`.
    [[nodiscard]] awaitable<result<std::vector<user>>> list_users(
        access_caller caller, user_id after, std::size_t limit
    );

    /// Invites somebody. *Errors*: `already_exists` (the email), `not_authorized`, `invalid_argument`.
    [[nodiscard]] awaitable<result<invited_user>> create_user(
        access_caller caller, std::string email, std::string display_name, user_role role
    );

    /// A user who is no longer active is out at once: sessions, links and the tokens they made end.
    /// *Errors*: `not_found`, `last_admin`, `not_authorized`, `invalid_argument`.
    [[nodiscard]] awaitable<result<user>> update_user(
        access_caller caller, user_id id, user_change change
    );

    /// *Errors*: `not_found` (also a user who is not active), `not_authorized`.
    [[nodiscard]] awaitable<result<made_link>> make_reset_link(access_caller caller, user_id id);

    // -- tokens -----------------------------------------------------------------------------------

    [[nodiscard]] awaitable<result<std::vector<api_token>>> list_tokens(access_caller caller);

    /// *Errors*: `not_authorized`, `invalid_argument`.
    [[nodiscard]] awaitable<result<made_api_token>> create_token(
        access_caller caller, std::string name, user_role role, std::optional<wall_time> expires_at
    );

    /// *Errors*: `not_found`, `not_authorized`.
    [[nodiscard]] awaitable<result<>> revoke_token(access_caller caller, api_token_id id);

    // -- audit trail ------------------------------------------------------------------------------

    /// For admins. Newest first.
    [[nodiscard]] awaitable<result<std::vector<audit_entry>>> list_audit(
        access_caller caller, std::optional<std::int64_t> before, std::size_t limit
    );

   private:
    [[nodiscard]] awaitable<result<logged_in>> open_session(
        user owner, std::string peer, std::string action
    );
    [[nodiscard]] awaitable<result<made_link>> make_link(
        access_caller caller, organization_id organization, user_id owner, link_kind kind
    );
    [[nodiscard]] awaitable<result<user_id>> find_first_admin();
    [[nodiscard]] std::chrono::seconds lifetime_of(link_kind kind) const;

    // fixed after construction
    executor& where_;
    conversation_store& store_;
    random_source& random_;
    password_hasher& passwords_;
    const access_settings settings_;  ///< without the bootstrap token

    // touched on the loop only
    id_generator ids_;
    authentication who_;
    login_limiter limiter_;
};

}  // namespace convene
