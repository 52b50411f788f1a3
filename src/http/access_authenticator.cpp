// SPDX-License-Identifier: Apache-2.0
// From headers to a caller, by access control.
#include "http/access_authenticator.hpp"

#include <utility>

namespace convene {

namespace {

std::string header(const http_request& head, std::string_view name) {
    return std::string{head.headers.find(name).value_or("")};
}

csrf_state state_of(page_proof proof) {
    switch (proof) {
        case page_proof::not_needed:
            return csrf_state::not_needed;
        case page_proof::verified:
            return csrf_state::verified;
        case page_proof::missing:
            break;
    }
    return csrf_state::missing;
}

/// Nobody who is known, in the words of the port.
error_code for_surface(error_code code) {
    return code == errc::bad_credentials ? make_error_code(errc::not_authorized) : code;
}

}  // namespace

principal principal_of(const signed_in& who) {
    principal answer;
    answer.organization = who.organization;
    answer.user = who.user.str();
    answer.user_email = who.email;
    answer.display_name = who.display_name;
    answer.token = who.token.str();
    answer.session = who.is_user() ? who.credential.str() : std::string{};
    answer.role = who.role;
    answer.made_by = who.made_by;
    answer.credential = who.credential;
    return answer;
}

signed_in signed_in_of(const principal& who) {
    signed_in answer;
    answer.organization = who.organization;
    answer.role = who.role;
    answer.user = user_id{who.user};
    answer.email = who.user_email;
    answer.display_name = who.display_name;
    answer.token = api_token_id{who.token};
    answer.made_by = who.made_by;
    answer.credential = who.credential;
    return answer;
}

transport_security security_of(const http_request& request, public_transport transport) {
    const bool is_secure = request.is_secure || transport == public_transport::tls;
    return is_secure ? transport_security::tls : transport_security::plain;
}

awaitable<result<principal>> access_authenticator::authenticate(http_request head) {
    request_credentials given;
    given.authorization = header(head, "authorization");
    given.cookie = header(head, "cookie");
    given.csrf = header(head, "x-csrf-token");
    const result<authenticated> known = co_await service_.who().authenticate(std::move(given));
    if (!known) {
        co_return for_surface(known.error());
    }
    principal who = principal_of(known->who);
    who.csrf = state_of(known->proof);
    if (known->renewed_session) {
        who.set_cookie = session_cookie(
            *known->renewed_session,
            service_.settings().session_lifetime,
            security_of(head, transport_)
        );
    }
    co_return who;
}

awaitable<result<principal>> access_authenticator::check_again(principal who) {
    const result<signed_in> still = co_await service_.who().check_again(signed_in_of(who));
    if (!still) {
        co_return for_surface(still.error());
    }
    principal answer = principal_of(*still);
    answer.csrf = who.csrf;
    co_return answer;
}

}  // namespace convene
