// SPDX-License-Identifier: Apache-2.0
// Deliveries: the rows planned with an event, their states, results, and the cursor of a room.
#pragma once

#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

enum class target_kind : std::uint8_t {
    channel = 1,     ///< hand the event to a transport
    agent = 2,       ///< let an agent answer it
    hook_after = 3,  ///< run an after-hook once the set is complete
};

enum class delivery_state : std::uint8_t {
    pending = 1,
    streaming =
        2,  ///< an agent's answer is being committed in segments; the set no longer waits for it
    done = 3,
    failed = 4,    ///< gave up; the reason is in the result
    deferred = 5,  ///< moved to the outbound queue
    skipped = 6,   ///< never delivered, on record
};

[[nodiscard]] std::string_view word_of(target_kind kind) noexcept;
[[nodiscard]] std::optional<target_kind> target_kind_from(std::string_view word) noexcept;
[[nodiscard]] std::string_view word_of(delivery_state state) noexcept;
[[nodiscard]] std::optional<delivery_state> delivery_state_from(std::string_view word) noexcept;

/// A final row never changes again.
[[nodiscard]] constexpr bool is_final(delivery_state state) noexcept {
    return state != delivery_state::pending && state != delivery_state::streaming;
}

/// A row that no longer keeps its set, and so the room's next events, waiting.
[[nodiscard]] constexpr bool is_settled(delivery_state state) noexcept {
    return state != delivery_state::pending;
}

/// What a delivery came to.
struct delivery_outcome {
    std::string provider_message_id;
    std::string error_code;     ///< stable `snake_case` word; empty on success
    std::string error_message;  ///< for people, our own words
    bool is_retryable = false;

    friend bool operator==(const delivery_outcome&, const delivery_outcome&) = default;
};

/// One planned piece of work of an event.
struct delivery_row {
    delivery_id id;  ///< uuid5(event, target): the receiver's key against duplicates
    event_id event;
    room_id room;
    event_index index;
    target_kind kind = target_kind::channel;
    channel_id channel;  ///< for `hook_after`: the hook's id
    std::string address;
    delivery_state state = delivery_state::pending;
    std::int32_t attempts = 0;
    bool is_bound =
        false;  ///< reachable only through the process that committed it (a socket, a callback)
    incarnation_id committed_by;  ///< who executes it; empty: whoever holds the claim
    delivery_outcome outcome;

    friend bool operator==(const delivery_row&, const delivery_row&) = default;
};

/// How far a room has been delivered, and who moves it.
struct delivery_cursor {
    event_index delivered;         ///< -1 at first
    incarnation_id claimer;        ///< the last worker that took the claim
    std::int64_t claim_epoch = 0;  ///< raised every time the claim is taken; compared by every step
    std::int32_t
        takeovers = 0;  ///< how often the head was taken over from a dead owner; 0 once it passes
    std::optional<wall_time> paused_at;  ///< an operator stopped the lane: no set is started

    friend bool operator==(const delivery_cursor&, const delivery_cursor&) = default;
};

/// A record of events that were passed over.
struct delivery_skip {
    std::int64_t id = 0;  ///< set by the store, ascending
    room_id room;
    event_index from;
    event_index to;
    std::vector<event_id> events;
    incarnation_id owner;  ///< the dead worker that had them
    std::string reason;    ///< `gap_timeout`, `bound`, `poison`, `operator`
    bool is_replayed = false;
    wall_time created_at{};

    friend bool operator==(const delivery_skip&, const delivery_skip&) = default;
};

/// What a target gets later, in order, by address: the store-backed outbound queue.
struct outbound_item {
    std::int64_t id = 0;  ///< set by the store, ascending: the order within an address
    room_id room;
    channel_id channel;
    std::string address;
    event_id event;
    event_index index;
    delivery_id delivery;  ///< the row it came from
    std::int32_t attempts = 0;
    wall_time not_before{};
    std::string last_error;

    friend bool operator==(const outbound_item&, const outbound_item&) = default;
};

/// A notice about the engine itself: durable, at least once.
struct framework_event {
    std::int64_t sequence = 0;  ///< set by the store, ascending, from 1
    std::string type;           ///< `delivery_skipped`, `event_blocked`, ...
    organization_id organization;
    room_id room;
    event_id event;
    json_text data;
    wall_time created_at{};

    friend bool operator==(const framework_event&, const framework_event&) = default;
};

}  // namespace convene
