// SPDX-License-Identifier: Apache-2.0
// Store operations on identities, tasks and observations.
#pragma once

#include "convene/room.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene::ops {

/// *Errors*: `already_exists`.
struct create_identity {
    using answer = identity;
    convene::identity identity;
};

/// *Errors*: `not_found`, also for another organisation.
struct get_identity {
    using answer = identity;
    organization_id organization;
    identity_id id;
};

/// An address belongs to one identity per organisation; linking again moves it. *Errors*: `not_found`.
struct link_address {
    using answer = std::monostate;
    organization_id organization;
    identity_id identity;
    std::string channel_type;
    std::string address;
};

/// Only within the organisation: an unscoped look-up never finds a scoped address, and the reverse.
struct resolve_identity {
    using answer = std::optional<identity>;
    organization_id organization;
    std::string channel_type;
    std::string address;
};

/// *Errors*: `not_found` (room), `already_exists`.
struct add_task {
    using answer = room_task;
    organization_id organization;
    room_task task;
};

/// *Errors*: `not_found`.
struct update_task {
    using answer = room_task;
    organization_id organization;
    room_id room;
    task_id id;
    std::optional<task_status> status;
    std::optional<std::string> assigned_to;
};

struct list_tasks {
    using answer = std::vector<room_task>;
    organization_id organization;
    room_id room;
    std::optional<task_status> status;
};

struct list_observations {
    using answer = std::vector<observation>;
    organization_id organization;
    room_id room;
};

}  // namespace convene::ops
