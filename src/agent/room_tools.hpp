// SPDX-License-Identifier: Apache-2.0
// The tools that an agent has for its own room (A9): older messages, tasks, observations, being woken.
#pragma once

#include "convene/ids.hpp"
#include "convene/room.hpp"
#include "convene/tool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace convene {

class room_kit;

enum class room_tool : std::uint8_t {
    read_messages = 1,  ///< messages before those that it is shown, as it may see them (R10)
    add_task = 2,
    observe = 3,
    wake_me = 4,  ///< later, in a session
};

/// The name under which a model calls it.
[[nodiscard]] std::string_view word_of(room_tool which) noexcept;
[[nodiscard]] std::optional<room_tool> room_tool_from(std::string_view word) noexcept;

/// What tools leave with the answer in the making: committed with it, or not at all.
struct answer_notes {
    std::vector<room_task> tasks;
    std::vector<observation> observations;

    /// Of each kind.
    static constexpr std::size_t most = 20;
};

/// `kit` outlives the tool. Messages before `first` are told where a model does not say before which.
[[nodiscard]] std::shared_ptr<tool> make_read_messages_tool(room_kit* kit, event_index first);

[[nodiscard]] std::shared_ptr<tool> make_add_task_tool(std::shared_ptr<answer_notes> into);
[[nodiscard]] std::shared_ptr<tool> make_observe_tool(std::shared_ptr<answer_notes> into);

/// Puts something around a tool: what decides whether it is called.
using tool_guard = std::function<std::shared_ptr<tool>(std::shared_ptr<tool>)>;

/// What the tools of one answer need.
struct room_tool_parts {
    room_kit* kit = nullptr;
    std::shared_ptr<answer_notes> notes;
    event_index first_shown{0};
    tool_guard guard{};            ///< around each of them; unset: none
    std::shared_ptr<tool> wake{};  ///< unset: there is no session to be woken in
};

/// Without `wake_me` where nobody can be woken. *Requires*: each is named once, and no tool of `to` has its name.
void add_room_tools(toolbox* to, const std::vector<room_tool>& wanted, const room_tool_parts& with);

/// Puts into the notes what a call by this name and with these arguments has put there before: an answer that is made
/// again has its calls on record, but not their effect. Other names: nothing.
void repeat_note(answer_notes* into, std::string_view name, const json_text& arguments);

}  // namespace convene
