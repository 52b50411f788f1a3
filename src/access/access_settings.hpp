// SPDX-License-Identifier: Apache-2.0
// What can be set about access control.
#pragma once

#include "convene/ids.hpp"

#include <chrono>
#include <string>

#include "access/login_limiter.hpp"

namespace convene {

struct access_settings {
    /// The organisation of a fresh store, and its first user.
    organization_id first_organization{"default"};
    std::string first_email = "admin@localhost";

    /// A secret from the configuration that stands for an admin of the first organisation; empty: none. Only its
    /// hash is kept.
    std::string bootstrap_token{};

    std::chrono::seconds session_lifetime = std::chrono::days{14};  ///< from its last renewal
    std::chrono::seconds session_renewal = std::chrono::hours{1};   ///< at most that often

    std::chrono::seconds login_link_lifetime = std::chrono::days{1};
    std::chrono::seconds invitation_lifetime = std::chrono::days{7};
    std::chrono::seconds reset_lifetime = std::chrono::days{1};

    /// How long this process may go on believing what another one has changed (R18). At most 2 s.
    std::chrono::milliseconds cache_lifetime{2000};

    std::chrono::seconds token_touch = std::chrono::minutes{5};  ///< how coarse "last used" is

    login_limits limits{};
};

}  // namespace convene
