// SPDX-License-Identifier: Apache-2.0
// Rules about users that every store keeps alike.
#pragma once

#include "store/operations/access.hpp"

namespace convene {

/// The user as the change leaves it.
[[nodiscard]] user changed_by(user known, const ops::update_user& change);

/// Whether somebody who was an active admin is none any more: refused for the last one.
[[nodiscard]] bool gives_up_admin(const user& before, const user& after) noexcept;

}  // namespace convene
