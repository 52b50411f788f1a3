// SPDX-License-Identifier: Apache-2.0
// Rooms, bindings, participants and what hangs on them.
#pragma once

#include "convene/event.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

enum class room_status : std::uint8_t { active = 1, paused = 2, closed = 3, archived = 4 };

[[nodiscard]] std::string_view word_of(room_status status) noexcept;
[[nodiscard]] std::optional<room_status> room_status_from(std::string_view word) noexcept;

/// True for states that accept events.
[[nodiscard]] constexpr bool is_open(room_status status) noexcept {
    return status == room_status::active || status == room_status::paused;
}

/// When a quiet room pauses, and when a paused one closes. Unset: never.
struct room_timers {
    std::optional<std::chrono::seconds> inactive_after;
    std::optional<std::chrono::seconds> closed_after;

    friend bool operator==(const room_timers&, const room_timers&) = default;
};

/// Which agents answer an event that addresses nobody.
enum class agent_response_policy : std::uint8_t {
    agent_chain = 1,     ///< agents answer people and each other, within the chain limit
    addressed_only = 2,  ///< an agent's event solicits only those it addresses
};

/// A room as stored.
struct room {
    room_id id;
    organization_id organization;
    std::string external_id;  ///< the caller's own id, unique per organisation when not empty
    room_status status = room_status::active;
    config_version config = 1;
    std::int64_t timeline_epoch = 0;  ///< raised when indexes change meaning (repair)
    event_index next_index{0};
    std::int64_t event_count = 0;  ///< a tally that never goes down
    event_index latest_index;      ///< -1 for an empty room
    event_index delivered_index;   ///< the delivery cursor
    std::int64_t lock_epoch = 0;   ///< fence for lock managers that can't lend a connection
    room_timers timers;
    agent_response_policy responses = agent_response_policy::agent_chain;
    json_text metadata;
    wall_time created_at{};
    wall_time updated_at{};
    wall_time last_activity_at{};
    std::optional<wall_time> paused_at;
    std::optional<wall_time> closed_at;

    friend bool operator==(const room&, const room&) = default;
};

enum class channel_kind : std::uint8_t {
    transport = 1,     ///< carries events to people
    intelligence = 2,  ///< an agent that thinks and answers
};

enum class access : std::uint8_t { read_write = 1, read_only = 2, write_only = 3, none = 4 };

[[nodiscard]] std::string_view word_of(channel_kind kind) noexcept;
[[nodiscard]] std::optional<channel_kind> channel_kind_from(std::string_view word) noexcept;
[[nodiscard]] std::string_view word_of(access value) noexcept;
[[nodiscard]] std::optional<access> access_from(std::string_view word) noexcept;

/// How often a failed delivery is tried again.
struct retry_policy {
    std::int32_t max_retries = 3;
    std::chrono::milliseconds base_delay{1000};
    std::chrono::milliseconds max_delay{60000};
    double factor = 2.0;

    friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// How many deliveries an address gets; all limits that are set hold together.
struct rate_limit {
    std::optional<double> per_second;
    std::optional<double> per_minute;
    std::optional<double> per_hour;

    friend bool operator==(const rate_limit&, const rate_limit&) = default;
};

/// A channel's place in one room.
struct binding {
    room_id room;
    channel_id channel;
    std::string channel_type;
    channel_kind kind = channel_kind::transport;
    convene::access access = convene::access::read_write;
    bool is_muted = false;           ///< may not write; a muted agent still thinks
    convene::visibility visibility;  ///< who sees what enters here
    participant_id participant;      ///< whose channel it is, if one person's
    std::string
        address;  ///< where deliveries go: a phone number, a path; empty: the channel itself
    std::optional<retry_policy> retry;
    std::optional<rate_limit> limit;
    json_text metadata;
    wall_time attached_at{};

    friend bool operator==(const binding&, const binding&) = default;
};

[[nodiscard]] constexpr bool can_read(access value) noexcept {
    return value == access::read_write || value == access::read_only;
}

[[nodiscard]] constexpr bool can_write(access value) noexcept {
    return value == access::read_write || value == access::write_only;
}

enum class participant_role : std::uint8_t {
    member = 1,
    owner = 2,
    agent = 3,
    observer = 4,
    bot = 5
};
enum class participant_status : std::uint8_t { active = 1, inactive = 2, left = 3, banned = 4 };

[[nodiscard]] std::string_view word_of(participant_role role) noexcept;
[[nodiscard]] std::optional<participant_role> participant_role_from(std::string_view word) noexcept;
[[nodiscard]] std::string_view word_of(participant_status status) noexcept;
[[nodiscard]] std::optional<participant_status> participant_status_from(std::string_view word
) noexcept;

struct participant {
    room_id room;
    participant_id id;
    std::string display_name;
    participant_role role = participant_role::member;
    participant_status status = participant_status::active;
    identity_id identity;  ///< the person behind it, once identified
    std::string external_id;
    json_text metadata;
    wall_time joined_at{};

    friend bool operator==(const participant&, const participant&) = default;
};

/// A person or system known across rooms of one organisation.
struct identity {
    identity_id id;
    organization_id organization;
    std::string display_name;
    json_text metadata;
    wall_time created_at{};

    friend bool operator==(const identity&, const identity&) = default;
};

enum class task_status : std::uint8_t {
    pending = 1,
    in_progress = 2,
    completed = 3,
    failed = 4,
    cancelled = 5
};

[[nodiscard]] std::string_view word_of(task_status status) noexcept;
[[nodiscard]] std::optional<task_status> task_status_from(std::string_view word) noexcept;

struct room_task {
    task_id id;
    room_id room;
    std::string title;
    std::string description;
    std::string assigned_to;
    task_status status = task_status::pending;
    json_text metadata;
    wall_time created_at{};

    friend bool operator==(const room_task&, const room_task&) = default;
};

struct observation {
    observation_id id;
    room_id room;
    channel_id channel;
    std::string content;
    std::string category;
    double confidence = 1.0;  ///< 0 to 1
    json_text metadata;
    wall_time created_at{};

    friend bool operator==(const observation&, const observation&) = default;
};

/// Everything decisions about a room read: valid while `config` of the stored room is unchanged.
struct room_context {
    convene::room room;
    std::vector<binding> bindings;
    std::vector<participant> participants;

    [[nodiscard]] const binding* find_binding(const channel_id& channel) const noexcept;
    [[nodiscard]] const participant* find_participant(const participant_id& id) const noexcept;
};

}  // namespace convene
