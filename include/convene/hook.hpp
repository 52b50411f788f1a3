// SPDX-License-Identifier: Apache-2.0
// Hooks: code that sees an event before it is committed, or after its set was delivered.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/event.hpp"
#include "convene/remote_hook.hpp"
#include "convene/room.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene {

/// What a hook looks at.
struct hook_input {
    room_context context;  ///< as the decision sees it
    room_event event;      ///< before the commit its index is provisional
};

/// An event a hook wants in the room, after the one that caused it.
struct injected_event {
    convene::content content;
    event_type type = event_type::message;
    /// Who gets it: listed channels only; empty: stored only.
    std::vector<channel_id> targets;
    convene::visibility visibility;
    json_text metadata;
};

/// What a hook decides.
struct hook_verdict {
    enum class action : std::uint8_t { allow, block, modify };

    action what = action::allow;
    std::string reason;                     ///< for `block`: a `snake_case` word
    std::optional<content> new_content;     ///< for `modify`
    std::optional<json_text> new_metadata;  ///< for `modify`
    std::vector<injected_event> injected;   ///< kept whatever the action is
    std::vector<room_task> tasks;           ///< likewise; ids and room are filled in
    std::vector<observation> observations;  ///< likewise

    [[nodiscard]] static hook_verdict allow() { return {}; }

    [[nodiscard]] static hook_verdict block(std::string reason);
    [[nodiscard]] static hook_verdict modify(content new_content);
};

/// Where in an event's life a hook runs.
enum class hook_point : std::uint8_t {
    before_commit = 1,  ///< under the room lock, in priority order; its verdict counts
    after_delivery =
        2,  ///< when the event's set is complete; its verdict is not looked at; at least once
};

/// A plain function runs on a pool thread and must not touch the kit. A coroutine runs on the loop; it may send
/// into rooms, its own included.
using plain_hook = std::function<hook_verdict(const hook_input&)>;
using coroutine_hook = std::function<awaitable<hook_verdict>(hook_input)>;

struct hook_definition {
    hook_id id;  ///< unique; shows as `blocked_by`
    hook_point point = hook_point::before_commit;
    organization_id organization;            ///< empty: every organisation
    room_id room;                            ///< empty: every room
    std::int32_t priority = 0;               ///< lower runs first; ties by id
    std::vector<std::string> channel_types;  ///< empty: any source
    std::vector<event_type> event_types;     ///< empty: any
    std::chrono::milliseconds deadline{50
    };  ///< 1 ms to 2 s before the commit; up to 30 s after delivery
    hook_failure_policy on_failure = hook_failure_policy::fail_open;
    std::variant<plain_hook, coroutine_hook> run;
};

}  // namespace convene
