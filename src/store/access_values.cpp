// SPDX-License-Identifier: Apache-2.0
// The words of roles and links, and when two email addresses are the same.
#include "store/access_values.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(user_role role) noexcept {
    switch (role) {
        case user_role::admin:
            return "admin";
        case user_role::operator_:
            return "operator";
        case user_role::member:
            return "member";
    }
    return {};
}

std::optional<user_role> user_role_of(std::string_view word) noexcept {
    return enumerator_of(word, user_role::member);
}

std::string_view word_of(link_kind kind) noexcept {
    switch (kind) {
        case link_kind::login:
            return "login";
        case link_kind::invitation:
            return "invitation";
        case link_kind::password_reset:
            return "password_reset";
    }
    return {};
}

std::string email_key(std::string_view email) {
    std::string key{email};
    for (char& letter : key) {
        if (letter >= 'A' && letter <= 'Z') {
            letter = static_cast<char>(letter - 'A' + 'a');
        }
    }
    return key;
}

}  // namespace convene
