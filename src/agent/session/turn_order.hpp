// SPDX-License-Identifier: Apache-2.0
// What a turn is to do, as it is stored with it: whoever takes the turn over has all it needs.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"

#include <cstdint>
#include <string>

#include "agent/agui/run_input.hpp"
#include "store/session_values.hpp"

namespace convene {

struct turn_order {
    run_input said;
    channel_id channel;          ///< the binding that its messages enter through; empty: the system
    participant_id participant;  ///< as whom
    disconnect_policy on_disconnect = disconnect_policy::detach;
    std::int32_t wakes_in_a_row =
        0;  ///< how many of them led to it, each set by the one before; 0: somebody's word did
};

/// The system says something to the agent. `id` is of the turn.
[[nodiscard]] turn_order order_that_tells(
    const room_id& room, const std::string& id, std::string text
);

/// The form is frozen: workers of two versions run side by side.
[[nodiscard]] json_text write_turn_order(const turn_order& order);

/// *Errors*: `corrupt_data`.
[[nodiscard]] result<turn_order> read_turn_order(const json_text& stored);

}  // namespace convene
