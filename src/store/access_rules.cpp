// SPDX-License-Identifier: Apache-2.0
// Access rules: what a change of a user comes to.
#include "store/access_rules.hpp"

namespace convene {

namespace {

bool is_active_admin(const user& one) noexcept {
    return one.is_active && one.role == user_role::admin;
}

}  // namespace

user changed_by(user known, const ops::update_user& change) {
    known.display_name = change.display_name.value_or(known.display_name);
    known.role = change.role.value_or(known.role);
    known.is_active = change.is_active.value_or(known.is_active);
    known.password_hash = change.password_hash.value_or(known.password_hash);
    return known;
}

bool gives_up_admin(const user& before, const user& after) noexcept {
    return is_active_admin(before) && !is_active_admin(after);
}

}  // namespace convene
