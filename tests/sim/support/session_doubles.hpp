// SPDX-License-Identifier: Apache-2.0
// The model of the simulated sessions, and its tool: slow, failing, hanging, lethal, and watched by the auditor.
#pragma once

#include "convene/channel.hpp"
#include "convene/ids.hpp"
#include "convene/room_kit.hpp"

#include <functional>
#include <memory>

#include "agent/model_agent.hpp"
#include "sim/support/random.hpp"
#include "sim/support/scenario.hpp"
#include "sim/support/session_auditor.hpp"

namespace convene {

/// What the doubles of one worker share. *Lifetime*: outlives them.
struct session_double_context {
    incarnation_id worker;
    sim_session_auditor* auditor = nullptr;
    sim_random* random = nullptr;
    const session_traits* traits = nullptr;
    std::function<void()> die;  ///< kills the worker right after the current step
};

/// The channel that drives every session.
[[nodiscard]] channel_id sim_session_agent_id();

/// The tool that clients have.
[[nodiscard]] tool_definition sim_client_tool();

/// The agent as a worker has it.
[[nodiscard]] std::shared_ptr<channel> make_sim_session_agent(
    room_kit* kit, const session_double_context* context, driver_lookup leave_to_driver
);

}  // namespace convene
