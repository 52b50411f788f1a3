// SPDX-License-Identifier: Apache-2.0
// What a seed draws before anything runs: how many of everything, how it behaves, and how much goes wrong.
#pragma once

#include "convene/remote_hook.hpp"
#include "convene/room_kit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/session/session_service.hpp"
#include "sim/support/random.hpp"
#include "sim/support/store.hpp"

namespace convene {

/// How a transport behaves, on every worker alike.
struct transport_traits {
    channel_id id;
    bool is_bound = false;
    std::chrono::nanoseconds slowest{};
    per_mille fails_for_now;
    per_mille fails_for_good;
    per_mille hangs;
    std::optional<rate_limit> limit;
};

struct agent_traits {
    channel_id id;
    channel_id streams_to;  ///< empty: to nobody
    std::chrono::nanoseconds slowest{};
    per_mille streams;
    per_mille breaks_off;  ///< ends in an error, in the middle if it streams
    per_mille hangs;
};

/// How remote hooks behave, whoever asks.
struct remote_hook_traits {
    std::chrono::nanoseconds slowest{};
    per_mille fails;
    per_mille hangs;
};

/// Sessions beside the ordinary rooms: who drives them, and what they are asked.
struct session_traits {
    std::size_t rooms = 1;
    std::size_t clients = 1;
    int requests_per_client = 3;
    session_settings settings;
    std::chrono::nanoseconds slowest{};  ///< of the model, between two pieces
    per_mille fails_for_now;             ///< the model, now and then
    per_mille lethal;                    ///< of all stories, those that kill their worker
};

/// Faults that are drawn at all; what a seed leaves out shows more of the rest.
enum class fault_kind : std::uint8_t {
    kill,
    vanish,
    freeze,
    freeze_and_lose_sessions,
    lose_sessions,
    partition,
    slow_network,
    restart_worker,
    restart_database,
};

struct sim_scenario {
    std::size_t workers = 2;
    std::size_t rooms = 1;
    std::size_t clients = 2;
    int requests_per_client = 4;

    commit_fence fence = commit_fence::session;
    step_writing steps = step_writing::together;
    bool has_own_claim_manager = false;
    room_kit_settings settings;
    std::vector<transport_traits> transports;
    std::vector<agent_traits> agents;
    std::vector<remote_hook> hooks;  ///< of the organisation, or of the first room
    remote_hook_traits hook_traits;

    bool mixes_formats = false;  ///< all workers but the first are of an older release
    std::optional<session_traits> sessions;

    per_mille lethal_messages;
    server_manners server;
    std::vector<fault_kind> faults;  ///< empty: a fair-weather run
    int most_faults = 0;
    std::uint64_t steps_per_fault = 0;        ///< on average, of faults at a step of their worker
    std::chrono::nanoseconds longest_calm{};  ///< between faults that come with time
};

[[nodiscard]] sim_scenario draw_scenario(sim_random& random);

}  // namespace convene
