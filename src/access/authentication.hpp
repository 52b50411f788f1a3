// SPDX-License-Identifier: Apache-2.0
// Finds out who sent a request, and whether they may still be here.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/executor.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "access/access_settings.hpp"
#include "access/signed_in.hpp"
#include "access/signed_in_cache.hpp"
#include "store/store.hpp"

namespace convene {

/// The headers of a request that say who is asking; empty where absent.
struct request_credentials {
    std::string authorization;
    std::string cookie;
    std::string csrf;  ///< `X-CSRF-Token`
};

/// Whether a request proved that a page of ours sent it. Who changes something must have.
enum class page_proof {
    not_needed,  ///< a token: no browser adds it by itself
    verified,    ///< a session, with its own CSRF value
    missing,     ///< a session without it, or with another one
};

struct authenticated {
    signed_in who;
    page_proof proof = page_proof::not_needed;
    /// The session's secret, when its life was just prolonged: the cookie is sent again.
    std::optional<std::string> renewed_session{};
};

/// *Thread safety*: loop only. *Lifetime*: executor and store outlive it.
class authentication {
   public:
    authentication(executor& where, conversation_store& store, const access_settings& settings);

    /// `Authorization` decides where it is sent, good or not; else the cookie.
    /// *Errors*: `bad_credentials`; those of the store.
    [[nodiscard]] awaitable<result<authenticated>> authenticate(request_credentials given);

    /// Whether somebody who was let in before may still be here, and as what: for streams, every few seconds.
    /// A change by another process is seen after `cache_lifetime` at the latest. *Errors*: as of `authenticate`.
    [[nodiscard]] awaitable<result<signed_in>> check_again(signed_in who);

    /// Something about users, tokens or sessions was changed by this process: seen from now on.
    void forget_all() noexcept { cache_.forget_all(); }

    /// Another number after every change by this process: a stream that sees it checks at once.
    [[nodiscard]] std::uint64_t generation() const noexcept { return cache_.generation(); }

   private:
    struct looked_up {
        signed_in who;
        bool is_renewed = false;
    };

    [[nodiscard]] awaitable<result<looked_up>> look_up_token(secret_hash hash);
    [[nodiscard]] awaitable<result<looked_up>> look_up_session(secret_hash hash);
    [[nodiscard]] bool is_bootstrap(const secret_hash& hash) const;
    [[nodiscard]] signed_in bootstrap_admin() const;

    // fixed after construction
    executor& where_;
    conversation_store& store_;
    const access_settings settings_;
    secret_hash bootstrap_;  ///< empty: there is none

    // touched on the loop only
    signed_in_cache cache_;
};

/// The secret in an `Authorization` header; nothing if it is of another scheme.
[[nodiscard]] std::optional<std::string> bearer_token_in(std::string_view authorization);

/// What a session's user is to a request.
[[nodiscard]] signed_in signed_in_user(const user& who, secret_hash session);

}  // namespace convene
