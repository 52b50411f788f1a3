// SPDX-License-Identifier: Apache-2.0
// What is said to the agent of a server's room later, over its API.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <string>
#include <vector>

#include "app/options.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

struct wake_report {
    std::string id;
    wall_time at{};  ///< it does not begin sooner
    std::string acting_for;
    std::string text;
    std::string json;  ///< all of it, canonical
};

// *Errors*: those of `api_client::ask`, and how the server refused.

/// The latest set first.
[[nodiscard]] awaitable<outcome<std::vector<wake_report>>> list_wakes(
    server_conversations* asked, room_id room
);

/// Not sent a second time where no answer comes: it would be said twice. *Requires*: `how` sets one.
[[nodiscard]] awaitable<outcome<wake_report>> set_wake(
    server_conversations* asked, room_id room, wakes_options how
);

/// *Requires*: `id` is not empty.
[[nodiscard]] awaitable<outcome<>> cancel_wake(
    server_conversations* asked, room_id room, std::string id
);

}  // namespace convene
