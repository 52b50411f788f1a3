// SPDX-License-Identifier: Apache-2.0
// Store operations on remote hooks, of rooms and of organisations.
#pragma once

#include "convene/ids.hpp"
#include "convene/remote_hook.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "store/access_values.hpp"

namespace convene::ops {

/// Adds a hook (`revision` 0) or replaces it as it was read (its `revision`). Id, organisation and room never
/// change; times and the next revision are set by the store. In the same step the room's `config` rises, or that
/// of the organisation, which the commit compares too.
/// *Errors*: `not_found` (the room, or the hook that is replaced), `already_exists` (id), `room_changed` (it was
/// replaced meanwhile), `overloaded` (the room or the organisation has `max_remote_hooks`).
struct put_hook {
    using answer = remote_hook;
    remote_hook hook;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`, also for another organisation.
struct get_hook {
    using answer = remote_hook;
    organization_id organization;
    hook_id id;
};

/// Of a room, or with an empty room those of the organisation itself, in the order of priorities, then ids.
struct list_hooks {
    using answer = std::vector<remote_hook>;
    organization_id organization;
    room_id room;
};

/// Removes a hook; the version rises as with `put_hook`. False if there was none.
struct delete_hook {
    using answer = bool;
    organization_id organization;
    hook_id id;
    std::optional<audit_entry> audit{};
};

/// The hooks that are enabled for a room, its own and its organisation's, in the order of priorities, then ids,
/// with the organisation's version, in one consistent read.
struct load_hooks {
    struct answer {
        config_version organization_config = 0;
        std::vector<remote_hook> hooks;
    };

    organization_id organization;
    room_id room;
};

}  // namespace convene::ops
