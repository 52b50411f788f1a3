// SPDX-License-Identifier: Apache-2.0
// Store operations on rooms, bindings, participants, routes and timers.
#pragma once

#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::ops {

/// Creates a room with its first bindings and participants, all or nothing.
/// `created_at`, `updated_at` and `last_activity_at` are set by the store.
/// *Errors*: `already_exists` (id, or external id within the organisation).
struct create_room {
    using answer = room;
    convene::room room;
    std::vector<binding> bindings;
    std::vector<participant> participants;
};

/// *Errors*: `not_found`, also for a room of another organisation. An empty organisation sees only rooms
/// without one.
struct get_room {
    using answer = room;
    organization_id organization;
    room_id id;
};

/// Whose room it is, for work that knows only the room. *Errors*: `not_found`.
struct find_organization {
    using answer = organization_id;
    room_id id;
};

struct find_room_by_external_id {
    using answer = std::optional<room>;
    organization_id organization;
    std::string external_id;
};

enum class room_order : std::uint8_t { oldest_first, newest_first };

/// Rooms in the order of their ids (which is the order of creation for ids made by the server).
struct list_rooms {
    using answer = std::vector<room>;
    std::optional<organization_id> organization;  ///< unset: all organisations
    std::optional<room_status> status;
    room_id after;  ///< exclusive, in the order asked for; empty: from the first
    std::size_t limit = 50;
    room_order order = room_order::oldest_first;
    std::optional<participant_id> member;  ///< only rooms of which it is an active participant
};

/// Changes what is set. Never touches counters, indexes or the cursor. Raises `config` when the status, the
/// timers or the response policy change; a metadata patch (keys merged; keys in `unset` removed) does not.
/// *Errors*: `not_found`; `room_changed` if `expected_config` is set and differs.
struct update_room {
    using answer = room;
    organization_id organization;
    room_id id;
    std::optional<config_version> expected_config;
    std::optional<room_status> status;
    std::optional<room_timers> timers;
    std::optional<agent_response_policy> responses;
    std::optional<json_text> metadata_patch;
    std::vector<std::string> metadata_unset;
};

/// Removes a room and all that belongs to it. False if there was none.
struct delete_room {
    using answer = bool;
    organization_id organization;
    room_id id;
};

/// Room, bindings and participants in one consistent read. *Errors*: `not_found`.
struct load_room_context {
    using answer = room_context;
    organization_id organization;
    room_id id;
};

/// Adds or replaces a binding; raises `config`. *Errors*: `not_found` (room).
struct put_binding {
    using answer = binding;
    organization_id organization;
    convene::binding binding;
};

/// Removes a binding; raises `config`. False if there was none. *Errors*: `not_found` (room).
struct remove_binding {
    using answer = bool;
    organization_id organization;
    room_id room;
    channel_id channel;
};

/// Adds or replaces a participant; raises `config`. *Errors*: `not_found` (room).
struct put_participant {
    using answer = participant;
    organization_id organization;
    convene::participant participant;
};

/// The room that a sender's messages on a channel go to. Unset if no route exists or its room is not open.
struct find_route {
    using answer = std::optional<room_id>;
    organization_id organization;
    channel_id channel;
    std::string sender;
};

/// Creates a room and routes (channel, sender) to it in one transaction. If another worker was first and its
/// room is open, that room is the answer and nothing is created; a route to a closed room is replaced.
struct create_routed_room {
    using answer = room_id;
    convene::room room;
    std::vector<binding> bindings;
    std::vector<participant> participants;
    channel_id channel;
    std::string sender;
};

/// Open rooms that have a binding for the channel, at most `limit`, by id: two are enough to know that
/// routing must not guess.
struct find_rooms_by_channel {
    using answer = std::vector<room_id>;
    organization_id organization;
    channel_id channel;
    std::size_t limit = 2;
};

/// Applies due room timers by the store's clock: idle for `inactive_after` -> paused; paused for
/// `closed_after` -> closed. Looks at no more than `limit` rooms that are due; rooms with recent activity are
/// re-armed. Answers the rooms whose status changed, in their new state, and stores a framework event
/// (`room_paused`, `room_closed`) for each.
struct apply_due_timers {
    struct answer {
        std::vector<room> changed;
        bool has_more = false;  ///< `limit` was reached: ask again at once
    };

    std::size_t limit = 256;
};

}  // namespace convene::ops
