// SPDX-License-Identifier: Apache-2.0
// Remote hooks as they are stored: whom to ask about an event, over signed HTTP, and what counts if nobody answers.
#pragma once

#include "convene/event.hpp"
#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What a hook that throws, hangs or answers nonsense counts as.
enum class hook_failure_policy : std::uint8_t {
    fail_open = 1,    ///< as `allow`
    fail_closed = 2,  ///< as `block` with reason `hook_failed`: for moderation
};

[[nodiscard]] std::string_view word_of(hook_failure_policy policy) noexcept;
[[nodiscard]] std::optional<hook_failure_policy> hook_failure_policy_from(std::string_view word
) noexcept;

/// When a remote hook is asked.
enum class hook_mode : std::uint8_t {
    remote = 1,  ///< before the room's lock is taken, on the room as it was read
    serial = 2,  ///< under the lock: it sees the exact position, and the room waits
    after_delivery =
        3,  ///< when the event's set is complete; its verdict is not looked at; at least once
};

[[nodiscard]] std::string_view word_of(hook_mode mode) noexcept;
[[nodiscard]] std::optional<hook_mode> hook_mode_from(std::string_view word) noexcept;

/// A hook at a URL, of one room or of all rooms of an organisation.
struct remote_hook {
    hook_id id;  ///< shows as `blocked_by`
    organization_id organization;
    room_id room;  ///< empty: every room of the organisation
    std::string name;
    std::string url;
    hook_mode mode = hook_mode::remote;
    std::int32_t priority = 0;               ///< lower is asked first; ties by id
    std::vector<std::string> channel_types;  ///< empty: any source
    std::vector<event_type> event_types;     ///< empty: any
    milliseconds deadline{2'000};            ///< 1 ms to 10 s; of a serial one to 2 s
    hook_failure_policy on_failure = hook_failure_policy::fail_open;
    bool is_enabled = true;
    std::string secret;                       ///< sealed; what its calls are signed with
    std::string previous_secret;              ///< sealed; empty: none
    std::optional<wall_time> previous_until;  ///< until when calls are signed with both
    std::int64_t revision = 0;                ///< rises with every change
    wall_time created_at{};
    wall_time updated_at{};

    friend bool operator==(const remote_hook&, const remote_hook&) = default;
};

/// The longest deadline of a mode.
[[nodiscard]] milliseconds longest_deadline(hook_mode mode) noexcept;

/// How many hooks a room may have, and an organisation beside those of its rooms.
inline constexpr std::size_t max_remote_hooks = 32;

}  // namespace convene
