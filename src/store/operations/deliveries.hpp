// SPDX-License-Identifier: Apache-2.0
// Store operations on delivery rows, cursors, skips and the outbound queue.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene::ops {

/// *Errors*: `not_found` (room).
struct get_cursor {
    using answer = delivery_cursor;
    room_id room;
};

/// Takes the cursor after its claim was acquired: raises the epoch by compare and writes the claimer.
/// *Errors*: `claim_lost` if the epoch is no longer `expected_epoch`: another worker took it meanwhile.
struct claim_cursor {
    using answer = delivery_cursor;
    room_id room;
    incarnation_id claimer;
    std::int64_t expected_epoch = 0;
    std::optional<std::int32_t>
        takeovers;  ///< set: the head's takeover count, written before it is executed
};

/// The next events to deliver, with all their rows, in index order from `from`.
struct load_lane {
    struct entry {
        room_event event;
        std::vector<delivery_row> rows;
        /// It has open rows and no live worker owns any of them: their owners are dead, or handed them over
        /// (empty owner).
        bool owner_is_gone = false;
        /// Of the plan, where nobody alive owns it: the format of the worker that committed the event; 0 if that is
        /// not known.
        std::int32_t format = 0;
    };

    using answer = std::vector<entry>;
    room_id room;
    event_index from;
    std::size_t limit = 16;
};

/// What became of one row.
struct row_result {
    delivery_id id;
    delivery_state state = delivery_state::done;
    std::int32_t attempts = 0;
    delivery_outcome outcome;
};

/// Ends the set of `index`: stores its results and steps the cursor from `index - 1` to `advance_to`, all or
/// nothing. The events between have no recipients. Rows that are final stay as they are. Where everything beyond
/// was hard-deleted the cursor goes on to the end; the answer says where it is.
///
/// Repeating it is safe: if this epoch has stepped there already it succeeds without a change.
/// `created_at` and ids of notices, skips and outbound items are set by the store. `takeovers` returns to 0.
/// *Errors*: `claim_lost` (another epoch, or the cursor is elsewhere), `outcome_unknown`.
struct finish_set {
    struct answer {
        event_index delivered;
    };

    room_id room;
    std::int64_t claim_epoch = 0;
    event_index index;
    event_index advance_to;
    std::vector<row_result> results;
    std::vector<outbound_item> deferred;
    std::optional<delivery_skip> skip;
    std::vector<framework_event> notices;
};

/// Stores results of rows behind the cursor: the end of a streamed answer, an after-hook, one target of a set
/// that is still running. Final rows stay. Only the executor may: rows whose `committed_by` is `executor`, or
/// rows of a dead worker once adopted.
struct put_results {
    using answer = std::monostate;
    room_id room;
    incarnation_id executor;
    std::vector<row_result> results;
    std::vector<framework_event> notices;
};

/// Makes `new_owner` the executor of the non-final rows of dead owners (and of ownerless rows) in a room up to
/// `through`; rows of live workers stay, and plans of formats beyond `newest_format`. Answers what is its own then.
struct adopt_rows {
    using answer = std::vector<delivery_row>;
    room_id room;
    incarnation_id new_owner;
    event_index through;
    std::int32_t newest_format = std::numeric_limits<std::int32_t>::max();
};

/// Hands rows over on a graceful stop: non-final rows of `owner` become ownerless. Answers how many.
struct release_rows {
    using answer = std::int64_t;
    incarnation_id owner;
};

/// Rooms with work that nobody alive owns: a non-final row whose owner is dead or empty, or a cursor behind
/// `latest_index` whose next event has no such row and was committed by a dead worker. By room id, after `after`.
/// With `also_of` set, the same as if that worker were dead: what it has to do itself.
struct find_orphaned_rooms {
    struct item {
        organization_id organization;
        room_id room;
    };

    using answer = std::vector<item>;
    room_id after;
    std::size_t limit = 64;
    std::optional<incarnation_id> also_of{};
};

/// Rows of one event, in the order of their ids.
struct list_deliveries {
    using answer = std::vector<delivery_row>;
    room_id room;
    event_id event;
};

struct list_skips {
    using answer = std::vector<delivery_skip>;
    std::optional<room_id> room;
    std::int64_t after = 0;
    std::size_t limit = 50;
};

/// Queues an item by itself (`finish_set` does it for deferred targets). Answers its id.
struct put_outbound {
    using answer = std::int64_t;
    outbound_item item;
};

/// Addresses that have a due item: the head of each (channel, address) whose `not_before` has passed by the
/// store's clock.
struct take_due_outbound {
    using answer = std::vector<outbound_item>;
    std::size_t limit = 64;
};

/// The head of one address was handled: removed (`retry_at` unset, its delivery row becomes `state`) or tried
/// again later. Items behind it keep waiting.
struct finish_outbound {
    using answer =
        bool;  ///< false: the item is gone, or another worker has counted an attempt since
    std::int64_t id = 0;
    std::optional<wall_time> retry_at;

    /// How many attempts it had when it was read. A retry is only noted while it still has as many.
    std::int32_t seen_attempts = 0;
    row_result result;
};

/// Addresses with items waiting: a delivery to one of them must queue behind.
struct list_outbound_addresses {
    struct item {
        channel_id channel;
        std::string address;
        std::int64_t waiting = 0;
        std::optional<wall_time> next_due;  ///< when its first item may go, if that one is counted
    };

    using answer = std::vector<item>;
    std::optional<room_id> room;  ///< only the items of this one are counted
};

/// Counts that a hook is about to run for an event after a crash; answers how often that was.
struct mark_hook {
    using answer = std::int32_t;
    hook_id hook;
    std::string event_key;
};

struct clear_hook_mark {
    using answer = std::monostate;
    hook_id hook;
    std::string event_key;
};

}  // namespace convene::ops
