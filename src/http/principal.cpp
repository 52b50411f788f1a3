// SPDX-License-Identifier: Apache-2.0
// The words of roles.
#include "http/principal.hpp"

namespace convene {

std::string_view word_of(user_role role) noexcept {
    switch (role) {
        case user_role::member:
            return "member";
        case user_role::operator_:
            return "operator";
        case user_role::admin:
            return "admin";
    }
    return "";
}

}  // namespace convene
