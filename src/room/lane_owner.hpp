// SPDX-License-Identifier: Apache-2.0
// Whose turn an event in a lane is.
#pragma once

#include "convene/ids.hpp"

#include "room/lane_fsm.hpp"
#include "store/operations/deliveries.hpp"

namespace convene {

/// Who executes what is open of an event. After-hooks hold nobody up.
[[nodiscard]] head_owner owner_of(const ops::load_lane::entry& stored, const incarnation_id& me);

/// The worker that holds the event up; empty where the open rows were handed over, or where there is none.
[[nodiscard]] incarnation_id owner_of_open_row(const ops::load_lane::entry& stored);

}  // namespace convene
