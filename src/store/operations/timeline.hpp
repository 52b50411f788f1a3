// SPDX-License-Identifier: Apache-2.0
// Store operations on the timeline: the commit, reads, idempotency, deletion and repair.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/session_values.hpp"

namespace convene::ops {

/// What an idempotency key is known for.
struct key_hit {
    std::string key;
    std::string request_hash;
    std::optional<room_event> event;  ///< unset: the event was hard-deleted within the last 24 h
};

/// The room row, its organisation's version and the keys, read after the room lock was granted. *Errors*: `not_found`.
struct load_room_head {
    struct answer {
        convene::room room;
        std::vector<key_hit> hits;
        config_version organization_config = 0;  ///< 0 until something of the organisation changed
        incarnation_id
            deliverer;  ///< who claimed the cursor last, if that worker lives and reads `format`; else empty
    };

    organization_id organization;
    room_id room;
    std::vector<std::string> keys;
    std::int32_t format = 0;  ///< of the plans that will be committed
};

/// An inbound key is scoped to (organisation, channel, key), before a room is known.
struct find_inbound_key {
    using answer = std::optional<key_hit>;
    organization_id organization;
    channel_id channel;
    std::string key;
};

/// An edit or soft delete applied to an earlier event of the room, in the transaction of its EDIT or DELETE.
struct target_change {
    event_id target;
    std::optional<content> new_content;  ///< set: edited; unset: soft-deleted
};

/// Appends a batch to a room: everything below is stored, or nothing.
///
/// The events carry their indexes `expected_next`, +1, ... The counters move by compare: a miss of next
/// index, config (the room's, the organisation's), status or epoch is `room_changed`, and nothing is stored.
/// `created_at` of events, tasks, observations and framework events is set by the store (one time per commit).
/// *Errors*: `room_changed`, `duplicate_key` (a key of the batch was stored meanwhile), `duplicate_index`
/// (broken invariant), `claim_lost` (a guard missed), `driver_fenced`, `target_event_not_found`, `invalid_argument` (one event can't be stored),
/// `outcome_unknown`, `connection_lost`, `lease_lost`.
struct commit {
    struct answer {
        wall_time committed_at{};
    };

    struct inbound_key {
        channel_id channel;
        std::string key;
        event_id event;
        std::string request_hash;
    };

    /// A reply may be stored only while its agent row is open and still belongs to the one that generates it:
    /// a worker that was buried and woke up stores nothing.
    struct row_guard {
        delivery_id row;
        incarnation_id executor;
    };

    /// The state a row gets together with the batch: a whole answer and its row's end are one transaction.
    struct row_end {
        delivery_id row;
        delivery_state state = delivery_state::done;
        std::int32_t attempts = 0;
    };

    /// The append of a driver (A4). Epoch, sequence and state move in the batch's transaction, under the lock of the
    /// session's row; a miss of the epoch is `driver_fenced`, and nothing is stored.
    struct session_append {
        std::int64_t epoch = 0;
        state_delta delta;
        turn_id
            consumes;  ///< this turn's input is in the batch and kept no longer; empty: no turn's
    };

    organization_id organization;
    room_id room;
    event_index expected_next;
    config_version expected_config = 0;
    config_version expected_organization_config = 0;
    room_status expected_status = room_status::active;
    std::optional<std::int64_t> expected_lock_epoch;

    room_status
        new_status = room_status::active;  ///< a paused room resumes; a change raises `config`
    std::vector<room_event> events;
    std::vector<delivery_row> deliveries;
    std::vector<target_change> changes;
    std::vector<inbound_key> inbound_keys;
    std::vector<room_task> tasks;
    std::vector<observation> observations;
    std::vector<framework_event> notices;
    std::vector<row_guard> guards;  ///< checked first; a miss is `claim_lost`, nothing is stored
    std::vector<row_end> row_ends;
    std::vector<session_append>
        session;  ///< one of each proposal that is a driver's; all have the same epoch
};

/// Raises `lock_epoch` for a lock manager that can't lend its connection; answers the new value.
struct raise_lock_epoch {
    using answer = std::int64_t;
    organization_id organization;
    room_id room;
};

/// *Errors*: `not_found` (in that room).
struct get_event {
    using answer = room_event;
    organization_id organization;
    room_id room;
    event_id id;
};

/// Which of these events exist: how an unknown outcome is settled.
struct find_events {
    using answer = std::vector<room_event>;
    room_id room;
    std::vector<event_id> ids;
};

struct event_filter {
    std::vector<event_type> types;           ///< empty: all
    std::vector<event_type> excluded_types;  ///< wins over `types`
    std::optional<event_status> status;
    std::optional<std::string> visibility;  ///< equality of the text form
    channel_id channel;
    std::string channel_type;
    participant_id participant;
    std::string correlation_id;
    event_id parent;
    bool top_level_only = false;           ///< excludes `parent`
    std::optional<wall_time> after_time;   ///< exclusive
    std::optional<wall_time> before_time;  ///< exclusive
};

/// Events by index, always answered ascending.
///
/// `after`: the first `limit` with a greater index. `before`: the last `limit` with a smaller one. Neither:
/// the oldest, or with `newest_first` the newest `limit`.
/// *Errors*: `invalid_argument` for both cursors at once, `top_level_only` with `parent`, or
/// `after_time >= before_time`; `not_found` (room).
struct list_events {
    using answer = std::vector<room_event>;
    organization_id organization;
    room_id room;
    std::optional<event_index> after;
    std::optional<event_index> before;
    bool newest_first = false;
    std::size_t limit = 50;
    event_filter filter;
};

struct thread_summary {
    event_id root;
    std::int64_t replies = 0;
    event_index latest_reply;
    wall_time latest_reply_at{};

    friend bool operator==(const thread_summary&, const thread_summary&) = default;
};

/// Summaries of those roots that have replies.
struct summarize_threads {
    using answer = std::vector<thread_summary>;
    organization_id organization;
    room_id room;
    std::vector<event_id> roots;
};

/// Full-text search: events whose text contains all words, newest first. Any input is safe.
struct search_events {
    using answer = std::vector<room_event>;
    organization_id organization;
    std::optional<room_id> room;
    std::string words;
    std::size_t limit = 20;
};

/// Removes an event and, with `cascade`, its replies. Indexes are not reused, counters do not change, keys
/// answer as deleted for 24 h, open delivery rows are closed as skipped. Root first in the answer. A cursor with
/// nothing but deleted indexes before it is moved to the end.
/// Call it under the room's lock and delivery claim.
struct delete_event {
    using answer = std::vector<event_id>;
    organization_id organization;
    room_id room;
    event_id id;
    bool cascade = true;
};

struct read_marker {
    std::string thread;  ///< root event id, or empty for the room
    std::string reader;
    event_index index;  ///< -1: nothing read

    friend bool operator==(const read_marker&, const read_marker&) = default;
};

/// Moves a marker; automatic receipts only forward, an explicit "mark unread" anywhere. The index is capped to
/// `latest_index`. *Errors*: `not_found` (room).
struct put_read_marker {
    using answer = read_marker;
    organization_id organization;
    room_id room;
    read_marker marker;
    bool may_rewind = false;
};

struct list_read_markers {
    using answer = std::vector<read_marker>;
    organization_id organization;
    room_id room;
    std::string reader;  ///< empty: all readers
};

/// Accepted messages by others, neither soft-deleted nor hidden from transports (`all`, `transport`, or a list
/// that names one of `channels`), after the reader's marker.
///
/// `mentions` are those among them whose metadata names the reader: `{"mentions":["<participant>", ...]}`.
struct count_unread {
    struct answer {
        std::int64_t unread = 0;
        std::int64_t mentions = 0;

        friend bool operator==(const answer&, const answer&) = default;
    };

    organization_id organization;
    room_id room;
    std::string thread;
    std::string reader;                ///< a participant id
    std::vector<channel_id> channels;  ///< the reader's own
};

/// Finds rooms with duplicate indexes and, unless `dry_run`, renumbers them to 0..N-1 by (index, created_at,
/// id), fixes counters and next index, remaps cursor and read markers, raises `timeline_epoch`, and makes the
/// index unique, in one transaction.
struct dedupe_event_indices {
    struct answer {
        std::string action;  ///< `dry_run`, `noop`, `repaired`
        std::int64_t duplicate_rows = 0;
        std::int64_t affected_rooms = 0;
        bool now_unique = false;
    };

    bool dry_run = true;
};

}  // namespace convene::ops
