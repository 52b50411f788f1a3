// SPDX-License-Identifier: Apache-2.0
// Who is asking, and the port that finds out.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <cstdint>
#include <string>

#include "net/http_message.hpp"
#include "store/access_values.hpp"

namespace convene {

/// Whether a request that changes something proved that our own page sent it.
enum class csrf_state : std::uint8_t {
    not_needed,  ///< a token: no browser adds it by itself
    verified,    ///< a session, and `X-CSRF-Token` is its own
    missing,     ///< a session without it, or with another one
};

/// A user or a token of one organisation.
struct principal {
    organization_id organization;
    std::string user;        ///< empty: a token, which stands for the organisation
    std::string user_email;  ///< for `auth/me`
    std::string display_name;
    std::string token;    ///< the token's id; empty: a browser session
    std::string session;  ///< the session's id; empty: a token
    user_role role = user_role::member;
    csrf_state csrf = csrf_state::not_needed;
    user_id made_by;         ///< of a token: who made it
    secret_hash credential;  ///< what is looked up when a stream asks again
    std::string set_cookie;  ///< the session was just prolonged: goes out with the answer

    [[nodiscard]] bool is_user() const noexcept { return !user.empty(); }

    /// Under which it makes and starts things: the user's id, or the token's.
    [[nodiscard]] const std::string& name() const noexcept { return is_user() ? user : token; }

    /// Operators, admins and tokens see every room of the organisation (X1).
    [[nodiscard]] bool sees_every_room() const noexcept {
        return !is_user() || role >= user_role::operator_;
    }

    /// Whose budget of requests it is.
    [[nodiscard]] std::string rate_key() const {
        return organization.str() + '\n' + (is_user() ? "user\n" + user : "token\n" + token);
    }
};

/// Finds out who sent a request, from `Authorization` or the session's cookie.
///
/// *Thread safety*: loop only. *Lifetime*: outlives the router.
class authenticator {
   public:
    virtual ~authenticator() = default;

    /// `head` is the request without its body. *Errors*: `not_authorized` when nobody, or nobody known, is
    /// asking; store errors.
    [[nodiscard]] virtual awaitable<result<principal>> authenticate(http_request head) = 0;

    /// Whether somebody who was let in may still be here, and as what: a stream asks every two seconds (R18).
    /// *Errors*: `not_authorized` when access is gone; store errors.
    [[nodiscard]] virtual awaitable<result<principal>> check_again(principal who) = 0;
};

}  // namespace convene
