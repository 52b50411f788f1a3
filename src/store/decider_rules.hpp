// SPDX-License-Identifier: Apache-2.0
// Who may decide what an agent asks: one rule for whoever is shown it, does it, and is told that it waits (A6, W3).
#pragma once

#include "convene/room.hpp"

#include <string>
#include <string_view>

#include "store/access_values.hpp"
#include "store/approval_values.hpp"

namespace convene {

/// A user, or a token, which stands for the organisation.
struct decider {
    std::string user;  ///< empty: a token
    user_role role = user_role::member;
};

/// The channel of people who use the web app.
[[nodiscard]] const channel_id& people_channel();

/// Through which a user reads and writes: a binding of its own, else that of all people.
[[nodiscard]] channel_id channel_of_user(const room_context& around, std::string_view user);

/// Whoever the approval names, and sees the room; where it names nobody: who sees every room, and who takes part in it and
/// may write there. Nobody else, whatever their role.
[[nodiscard]] bool may_decide(
    const decider& who, const room_context& around, const approval& asked
);

}  // namespace convene
