// SPDX-License-Identifier: Apache-2.0
// Whose turn an event in a lane is.
#pragma once

#include "convene/ids.hpp"

#include <cstdint>

#include "room/lane_fsm.hpp"
#include "store/operations/deliveries.hpp"

namespace convene {

/// Who executes what is open of an event, for a worker that reads plans up to `newest_format`. After-hooks hold nobody
/// up. In every format, what has to be done for an event is in its open rows: without any it needs nobody.
[[nodiscard]] head_owner owner_of(
    const ops::load_lane::entry& stored, const incarnation_id& me, std::int32_t newest_format
);

/// The worker that holds the event up; empty where the open rows were handed over, or where there is none.
[[nodiscard]] incarnation_id owner_of_open_row(const ops::load_lane::entry& stored);

}  // namespace convene
