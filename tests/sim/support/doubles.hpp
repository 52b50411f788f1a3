// SPDX-License-Identifier: Apache-2.0
// Transports, agents and hooks of the simulated workers: slow, failing, hanging, and watched by the auditor.
#pragma once

#include "convene/channel.hpp"
#include "convene/hook.hpp"
#include "convene/remote_hook_caller.hpp"
#include "convene/room_kit.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/support/auditor.hpp"
#include "sim/support/random.hpp"
#include "sim/support/scenario.hpp"

namespace convene {

/// What the doubles of one worker share. *Lifetime*: outlives them.
struct double_context {
    incarnation_id worker;
    sim_auditor* auditor = nullptr;
    sim_random* random = nullptr;
    room_kit* kit = nullptr;
    std::function<void()> die;  ///< kills the worker right after the current step
    mutable std::uint64_t answers = 0;
};

[[nodiscard]] std::shared_ptr<channel> make_sim_transport(
    const double_context* context, transport_traits traits
);

[[nodiscard]] std::shared_ptr<channel> make_sim_agent(
    const double_context* context, agent_traits traits
);

/// What the hooks do is written in the text of the event (`sim_word`), so that every worker decides alike.
[[nodiscard]] std::vector<hook_definition> make_sim_hooks(const double_context* context);

/// The remote hooks of every room, as one worker reaches them.
[[nodiscard]] std::unique_ptr<remote_hook_caller> make_sim_hook_caller(
    const double_context* context, const remote_hook_traits* traits
);

/// Texts that clients send: each word has its hook, `plain` has none.
enum class sim_word : std::uint8_t {
    plain,
    block,
    modify,
    inject,
    slow,    ///< longer than the hook's deadline
    nested,  ///< the hook sends into the same room, under its lock
    echo,    ///< the after-hook sends into the same room
    forbid,  ///< remote hooks block it
    back,    ///< a remote hook sends into the room that waits for it
    poison,  ///< whoever delivers it dies
    deadly,  ///< whoever runs its after-hook dies
};

[[nodiscard]] content say(sim_word word, int number);

/// Takes framework events, now and then not at the first time.
[[nodiscard]] framework_callback make_sim_subscriber(
    const double_context* context, std::string name
);

}  // namespace convene
