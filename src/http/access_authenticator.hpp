// SPDX-License-Identifier: Apache-2.0
// The authenticator of the server: users, tokens and sessions of the store.
#pragma once

#include "access/access_service.hpp"
#include "access/session_cookie.hpp"
#include "http/principal.hpp"

namespace convene {

/// How browsers reach us, for the session's cookie.
enum class public_transport {
    as_requested,  ///< the cookie needs TLS if the request that set it came over TLS
    tls,           ///< always: TLS ends before us
};

/// *Thread safety*: loop only. *Lifetime*: the service outlives it.
class access_authenticator final : public authenticator {
   public:
    explicit access_authenticator(
        access_service& service, public_transport transport = public_transport::as_requested
    )
        : service_(service), transport_(transport) {}

    [[nodiscard]] awaitable<result<principal>> authenticate(http_request head) override;

    [[nodiscard]] awaitable<result<principal>> check_again(principal who) override;

   private:
    access_service& service_;
    const public_transport transport_;
};

/// The two forms of one caller: the surface's, and the one that access control acts for.
[[nodiscard]] principal principal_of(const signed_in& who);
[[nodiscard]] signed_in signed_in_of(const principal& who);

/// What the session's cookie of this request's browser demands.
[[nodiscard]] transport_security security_of(
    const http_request& request, public_transport transport
);

}  // namespace convene
