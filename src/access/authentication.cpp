// SPDX-License-Identifier: Apache-2.0
// Looks credentials up by their hash, in a short-lived cache and then in the store.
#include "access/authentication.hpp"

#include <algorithm>
#include <utility>

#include "access/csrf.hpp"
#include "access/secret_token.hpp"
#include "access/session_cookie.hpp"
#include "base/hmac.hpp"

namespace convene {

namespace {

access_settings without_secret(access_settings settings) {
    settings.bootstrap_token.clear();
    return settings;
}

signed_in signed_in_token(const api_token& token) {
    signed_in who;
    who.organization = token.organization;
    who.role = token.role;
    who.token = token.id;
    who.made_by = token.created_by;
    who.credential = token.hash;
    return who;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

signed_in signed_in_user(const user& who, secret_hash session) {
    signed_in answer;
    answer.organization = who.organization;
    answer.role = who.role;
    answer.user = who.id;
    answer.email = who.email;
    answer.display_name = who.display_name;
    answer.credential = std::move(session);
    return answer;
}

std::optional<std::string> bearer_token_in(std::string_view authorization) {
    constexpr std::string_view scheme = "bearer ";
    const std::string_view start = authorization.substr(0, scheme.size());
    if (!std::ranges::equal(start, scheme, {}, lower)) {
        return std::nullopt;
    }
    std::string_view token = authorization.substr(scheme.size());
    token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
    token = token.substr(0, token.find_last_not_of(' ') + 1);
    return std::string{token};
}

authentication::authentication(
    executor& where, conversation_store& store, const access_settings& settings
)
    : where_(where),
      store_(store),
      settings_(without_secret(settings)),
      cache_(std::min(settings.cache_lifetime, std::chrono::milliseconds{2000})) {
    if (!settings.bootstrap_token.empty()) {
        bootstrap_ = hash_of_secret(settings.bootstrap_token);
    }
}

awaitable<result<authenticated>> authentication::authenticate(request_credentials given) {
    authenticated answer;
    if (!given.authorization.empty()) {
        const std::optional<std::string> token = bearer_token_in(given.authorization);
        if (!token) {
            co_return errc::bad_credentials;
        }
        secret_hash hash = hash_of_secret(*token);
        if (is_bootstrap(hash)) {
            answer.who = bootstrap_admin();
            co_return answer;
        }
        if (!has_form_of(secret_kind::api_token, *token)) {
            co_return errc::bad_credentials;
        }
        result<looked_up> found = co_await look_up_token(std::move(hash));
        if (!found) {
            co_return found.error();
        }
        answer.who = std::move(found->who);
        co_return answer;
    }

    const std::optional<std::string> secret = session_secret_in(given.cookie);
    if (!secret || !has_form_of(secret_kind::session, *secret)) {
        co_return errc::bad_credentials;
    }
    result<looked_up> found = co_await look_up_session(hash_of_secret(*secret));
    if (!found) {
        co_return found.error();
    }
    answer.who = std::move(found->who);
    answer.proof = is_csrf_value(given.csrf, *secret) ? page_proof::verified : page_proof::missing;
    if (found->is_renewed) {
        answer.renewed_session = *secret;
    }
    co_return answer;
}

awaitable<result<signed_in>> authentication::check_again(signed_in who) {
    if (is_bootstrap(who.credential)) {
        co_return bootstrap_admin();
    }
    auto look_up = who.is_user() ? look_up_session(who.credential) : look_up_token(who.credential);
    result<looked_up> found = co_await std::move(look_up);
    if (!found) {
        co_return found.error();
    }
    co_return std::move(found->who);
}

awaitable<result<authentication::looked_up>> authentication::look_up_token(secret_hash hash) {
    const monotonic_time now = where_.now();
    if (const signed_in* const known = cache_.find(hash, now)) {
        co_return looked_up{*known};
    }
    const std::uint64_t generation = cache_.generation();
    ops::find_api_token wanted{hash};
    const auto found = co_await store_.run(std::move(wanted));
    if (!found) {
        co_return found.error();
    }
    if (!*found) {
        co_return errc::bad_credentials;
    }
    const auto& [token, store_now] = **found;
    if (!token.last_used_at || *token.last_used_at + settings_.token_touch <= store_now) {
        ops::touch_api_token touch{std::move(hash)};
        const auto touched = co_await store_.run(std::move(touch));
        static_cast<void>(touched);  // a note for people; the next request writes it
    }
    looked_up answer{signed_in_token(token)};
    // Not beyond the token's own end, should that come before the entry's.
    const bool ends_soon = token.expires_at &&
                           *token.expires_at - store_now <= settings_.cache_lifetime;
    if (!ends_soon) {
        cache_.put(answer.who, generation, now);
    }
    co_return answer;
}

awaitable<result<authentication::looked_up>> authentication::look_up_session(secret_hash hash) {
    const monotonic_time now = where_.now();
    if (const signed_in* const known = cache_.find(hash, now)) {
        co_return looked_up{*known};
    }
    const std::uint64_t generation = cache_.generation();
    ops::find_auth_session wanted{hash};
    const auto found = co_await store_.run(std::move(wanted));
    if (!found) {
        co_return found.error();
    }
    if (!*found) {
        co_return errc::bad_credentials;
    }
    const auto& [session, owner, store_now] = **found;
    looked_up answer{signed_in_user(owner, hash)};
    const auto left = session.expires_at - store_now;
    if (left <= settings_.session_lifetime - settings_.session_renewal) {
        ops::renew_auth_session renewal{std::move(hash), settings_.session_lifetime};
        const result<bool> renewed = co_await store_.run(std::move(renewal));
        // Should it fail, the session still has what was left.
        answer.is_renewed = renewed && *renewed;
    }
    if (answer.is_renewed || left > settings_.cache_lifetime) {
        cache_.put(answer.who, generation, now);
    }
    co_return answer;
}

bool authentication::is_bootstrap(const secret_hash& hash) const {
    return !bootstrap_.empty() && is_equal_secret(hash.str(), bootstrap_.str());
}

signed_in authentication::bootstrap_admin() const {
    signed_in who;
    who.organization = settings_.first_organization;
    who.role = user_role::admin;
    who.token = bootstrap_token_id();
    who.credential = bootstrap_;
    return who;
}

}  // namespace convene
