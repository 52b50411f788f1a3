// SPDX-License-Identifier: Apache-2.0
// R9: what the verdicts of hooks do to an event. No I/O, no clock.
#pragma once

#include "convene/boundary.hpp"
#include "convene/delivery.hpp"
#include "convene/hook.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What a chain of hooks wants done to an event. As it is made: nothing.
struct hook_chain_outcome {
    struct blocked_event {
        std::string by;      ///< the hook's id
        std::string reason;  ///< a `snake_case` word
    };

    std::optional<content> new_content;
    std::optional<json_text> new_metadata;
    std::optional<blocked_event> blocked;
    std::vector<injected_event> injected;  ///< of all hooks that ran, in their order, like the rest
    std::vector<room_task> tasks;
    std::vector<observation> observations;
    std::vector<framework_event> notices;
};

/// Brings an event up to what the hooks made of it: what the next hook sees, and what is committed.
void apply_changes(const hook_chain_outcome& chain, room_event* event);

/// Why a hook has no verdict. The words are frozen: notices carry them.
enum class hook_failure : std::uint8_t {
    threw,        ///< an exception left it
    timed_out,    ///< no verdict before its deadline
    stuck,        ///< not called: an earlier call is past its deadline and has not returned
    overloaded,   ///< not called: the pool took no more work, or did not get to it in time
    bad_verdict,  ///< it answered something impossible
    unreachable,  ///< a remote one: no answer came, or the other side is not who it should be
    rejected,     ///< a remote one: it answered that it can't
    kept_out,     ///< a remote one: not called, because it keeps failing
    in_lock,  ///< a remote one: not called, because the event was sent from inside the room's lock
};

[[nodiscard]] std::string_view word_of(hook_failure failure) noexcept;

/// How much one verdict may ask for.
struct verdict_limits {
    std::size_t max_injected = 16;
    std::size_t max_targets = 256;  ///< of one injected event
    std::size_t max_tasks = 16;
    std::size_t max_observations = 64;
    boundary_limits values;
};

/// The field that makes a verdict on `seen` impossible; nothing if it can be applied.
///
/// | refused                                                  | because                          |
/// | -------------------------------------------------------- | -------------------------------- |
/// | an unknown action; `modify` without content and metadata | it means nothing                 |
/// | an observation whose confidence is not in 0 to 1         | it means nothing                 |
/// | values or counts beyond the limits                       | what reaches a room is bounded   |
/// | content that is not of the event's type                  | it would escape R13              |
/// | an edit or delete with a new target or right             | its authority was decided before |
/// | an injected edit or delete                               | a hook that wants one sends it   |
[[nodiscard]] std::optional<std::string_view> find_impossible(
    const room_event& seen, const hook_verdict& verdict, const verdict_limits& limits = {}
);

/// Adds a verdict that is possible to what the hooks before it wanted.
void apply_verdict(const hook_id& hook, hook_verdict verdict, hook_chain_outcome* chain);

/// Adds what a hook without a verdict counts as by its own policy.
void apply_failure(const hook_id& hook, hook_failure_policy policy, hook_chain_outcome* chain);

/// An event whose worker died in the same hook this often is stored blocked instead of asking it
/// again.
inline constexpr std::int32_t max_hook_crashes = 3;

void apply_crashes(const hook_id& hook, hook_chain_outcome* chain);

/// Adds what the hooks of another kind wanted, who were asked after these.
void append_outcome(hook_chain_outcome more, hook_chain_outcome* chain);

/// The notice `hook_failed` or `hook_stuck`.
[[nodiscard]] framework_event make_hook_notice(
    std::string_view type,
    const hook_id& hook,
    hook_failure_policy policy,
    const hook_input& input,
    hook_failure failure
);

}  // namespace convene
