// SPDX-License-Identifier: Apache-2.0
// How a principal is named in the audit trail.
#include "access/signed_in.hpp"

namespace convene {

const api_token_id& bootstrap_token_id() {
    static const api_token_id id{"bootstrap"};
    return id;
}

std::string signed_in::actor() const {
    if (is_user()) {
        return "user:" + user.str();
    }
    return token == bootstrap_token_id() ? token.str() : "token:" + token.str();
}

}  // namespace convene
