// SPDX-License-Identifier: Apache-2.0
// What every part of the engine of one worker shares: ports, settings, registries.
#pragma once

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include "base/uuid.hpp"
#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "channel/target_runner.hpp"
#include "room/cause_ledger.hpp"
#include "room/hook_registry.hpp"
#include "room/hook_runner.hpp"
#include "room/outbound_pump.hpp"
#include "room/remote_hook_runner.hpp"
#include "room/store_clock.hpp"
#include "store/store.hpp"

namespace convene {

class room_directory;

/// One per kit. *Lifetime*: outlives every room of the worker. *Thread safety*: loop only.
struct engine_core {
    // fixed after construction
    executor& where;
    conversation_store& store;
    lock_manager& locks;
    lock_manager& claims;
    store_clock& clock;
    random_source& random;
    commit_listener* const commits;  ///< null: nobody listens
    lane_bell* const bell;           ///< null: no other worker can be told
    const std::int32_t plan_format;  ///< that it writes; newer ones are left to newer workers
    const room_kit_settings settings;

    // touched on the loop only
    id_generator ids;
    incarnation_id me;
    channel_registry& channels;
    hook_registry& hooks;
    hook_runner& hook_calls;
    remote_hook_runner& remote_hooks;
    cause_ledger& causes;
    target_runner& targets;
    outbound_pump& outbound;
    outbound_order& order;
    room_directory* rooms = nullptr;  ///< set once, before anything runs
    room_kit::lane_times lane_times{};

    /// Framework events may have been stored: the pump looks at once instead of at its next round.
    wait_flag notices_stored{};

    /// This worker was proven dead and buried: it must be thrown away and made anew.
    wait_flag buried{};
};

}  // namespace convene
