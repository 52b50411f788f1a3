// SPDX-License-Identifier: Apache-2.0
// Building framework events about an event of a room.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"

#include <string_view>

namespace convene {

/// `type` is the notice's frozen word, `data` an object.
[[nodiscard]] framework_event make_notice(
    std::string_view type,
    const organization_id& organization,
    const room_event& about,
    json_text data = {}
);

}  // namespace convene
