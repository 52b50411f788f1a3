// SPDX-License-Identifier: Apache-2.0
// Realtime events: typing, presence, reactions and their like (V1). They are shown, never stored.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

enum class realtime_type : std::uint8_t { typing, presence, reaction, read_receipt, custom };

[[nodiscard]] std::string_view word_of(realtime_type type) noexcept;
[[nodiscard]] std::optional<realtime_type> realtime_type_from(std::string_view word) noexcept;

struct realtime_event {
    organization_id organization;
    room_id room;
    realtime_type type = realtime_type::custom;
    participant_id participant;
    json_text data;
    wall_time at{};
};

/// What one subscriber gets of a room, oldest first.
///
/// *Thread safety*: loop only; one `next` at a time. *Lifetime*: the backend outlives it.
class realtime_subscription {
   public:
    virtual ~realtime_subscription() = default;

    /// *Errors*: `timed_out` (nothing came), `cancelled`.
    [[nodiscard]] virtual awaitable<result<realtime_event>> next(deadline until) = 0;

    /// How many were dropped because nobody took them in time: the oldest go first.
    [[nodiscard]] virtual std::uint64_t dropped() const noexcept = 0;
};

/// Carries realtime events between the subscribers of a room.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its subscriptions.
class realtime_backend {
   public:
    virtual ~realtime_backend() = default;

    /// To everybody who has subscribed to the room, the sender's own subscriptions included.
    virtual void publish(realtime_event event) = 0;

    [[nodiscard]] virtual std::unique_ptr<realtime_subscription> subscribe(
        organization_id organization, room_id room
    ) = 0;

    /// True if subscribers in other processes get nothing of it.
    [[nodiscard]] virtual bool is_process_local() const noexcept = 0;
};

/// Of one process.
[[nodiscard]] std::unique_ptr<realtime_backend> make_in_memory_realtime();

}  // namespace convene
