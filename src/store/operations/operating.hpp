// SPDX-License-Identifier: Apache-2.0
// Store operations for operators: whether the store answers, replaying a skip; and changing an identity.
#pragma once

#include "convene/delivery.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::ops {

/// The cheapest thing that shows that the store answers.
struct probe_store {
    struct found {
        std::int32_t schema_version = 0;  ///< of the layout; 0 for a store that has none
    };

    using answer = found;
};

/// Delivery rows that an operator had delivered after all.
struct reopened_rows {
    std::vector<outbound_item> queued;
    std::int64_t reopened = 0;  ///< rows that are nobody's now
    std::int64_t left = 0;      ///< rows that stay as they are
};

/// The database was brought back from a copy: what workers and readers know of what came after the copy is void. Raises
/// each room's timeline epoch (positions of readers), its lock epoch, its claim's and its session's driver's, and buries
/// all workers. While none runs.
struct note_restore {
    struct outcome {
        std::int64_t rooms = 0;
        std::int64_t workers = 0;  ///< that were not buried yet
    };

    using answer = outcome;
};

/// Delivers after all what a skip passed over (D8): its rows for channels wait in the outbound queue, in the order of
/// indexes, those of agents and after-hooks are open again and nobody's, all under their delivery ids. What was
/// reachable only through a process that is gone stays skipped, and so does what was deleted for good. Once.
/// Call it under the room's lock and delivery claim. *Errors*: `not_found` (also for a room of another organisation).
struct replay_skip {
    struct outcome : reopened_rows {
        bool is_replayed_before = false;  ///< nothing was done
        room_id room;
    };

    using answer = outcome;
    organization_id organization;
    std::int64_t id = 0;
};

/// Delivers after all what failed or was skipped of one event, as `replay_skip` does, as often as it is asked for. Rows
/// in front of the cursor are opened again whatever their kind: the lane executes them with the event's set.
/// Call it under the room's lock and delivery claim. *Errors*: `not_found` (room, event).
struct redeliver_event {
    using answer = reopened_rows;
    organization_id organization;
    room_id room;
    event_id event;
};

enum class lane_state : std::uint8_t {
    running = 1,
    paused = 2,  ///< no set of the room is started, by any worker
};

/// Stops a room's lane, or lets it go on. Stopping raises the claim's epoch, so that whoever holds the claim learns of
/// it with its next step at the latest. *Errors*: `not_found` (also for a room of another organisation).
struct set_lane_state {
    struct outcome {
        delivery_cursor cursor;
        bool is_changed = false;
    };

    using answer = outcome;
    organization_id organization;
    room_id room;
    lane_state to = lane_state::paused;
};

/// Rooms of an organisation whose lane is stopped, by id, after `after`.
struct list_paused_lanes {
    struct item {
        room_id room;
        event_index delivered;
        event_index latest;
        wall_time paused_at{};
    };

    using answer = std::vector<item>;
    organization_id organization;
    room_id after;
    std::size_t limit = 500;
};

/// Changes what is set; metadata as in `update_room`. *Errors*: `not_found`, `invalid_argument` (a patch that is no
/// object).
struct update_identity {
    using answer = identity;
    organization_id organization;
    identity_id id;
    std::optional<std::string> display_name;
    std::optional<json_text> metadata_patch;
    std::vector<std::string> metadata_unset;
};

}  // namespace convene::ops
