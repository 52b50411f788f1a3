// SPDX-License-Identifier: Apache-2.0
// Somebody whose credentials were good: a user in a browser, or an API token.
#pragma once

#include "convene/ids.hpp"

#include <string>

#include "store/access_values.hpp"

namespace convene {

struct signed_in {
    organization_id organization;
    user_role role = user_role::member;
    user_id user;       ///< empty: a token, which stands for the organisation
    std::string email;  ///< of the user
    std::string display_name;
    api_token_id token;      ///< empty: a browser session
    user_id made_by;         ///< of a token: who made it; what it makes is theirs too
    secret_hash credential;  ///< of the token or the session; what `check_again` looks up

    [[nodiscard]] bool is_user() const noexcept { return !user.empty(); }

    /// As it stands in the audit trail: `user:ID`, `token:ID`, `bootstrap`.
    [[nodiscard]] std::string actor() const;
};

/// The token from the configuration has no row: this is its id.
[[nodiscard]] const api_token_id& bootstrap_token_id();

}  // namespace convene
