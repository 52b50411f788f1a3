// SPDX-License-Identifier: Apache-2.0
// What every store decides alike about sessions: how state changes, what a session does next, whose turn comes first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/operations/sessions.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// So many turns of one session may wait.
inline constexpr std::int64_t max_waiting_turns = 100;

/// So many of them may be wakes: an agent that promises much for later leaves room for what people say.
inline constexpr std::int64_t max_waiting_wakes = 20;

/// Why a run ended that its worker did not end.
inline constexpr std::string_view interrupted_word = "interrupted";

/// Each scope of it is an object.
[[nodiscard]] bool is_delta(const state_delta& delta);

/// `state` with the keys of `delta`, without those that are `null` there. Keys come in the order of their bytes.
/// *Requires*: both are objects.
[[nodiscard]] json_text merge_state(const json_text& state, const json_text& delta);

/// What the appends of one batch change together: as one after the other, so that a `null` stays one.
/// *Requires*: `is_delta` of each.
[[nodiscard]] state_delta combine(const std::vector<ops::commit::session_append>& appends);

/// Turns of a session that wait: those that could be run now, and those whose time is still to come.
struct waiting_turns {
    std::int64_t due = 0;
    std::int64_t later = 0;
    std::int64_t wakes = 0;  ///< of either

    /// Whether one more of this kind may wait.
    [[nodiscard]] bool has_room_for(turn_kind kind) const noexcept;
};

/// What a session that nobody drives is doing, if it would be `quiet` without turns. One that waits for an approval
/// does so whatever turns wait.
[[nodiscard]] session_status status_at_rest(session_status quiet, waiting_turns waiting);

/// What it would be without turns once nothing is open any more.
[[nodiscard]] session_status status_once_decided(session_status before);

/// The same for one that no run drives, when a turn that waited is taken back.
[[nodiscard]] session_status status_without_turns(session_status before);

/// The same when an operator has a turn run again: the quarantine ends with it, and what people are asked stays asked.
[[nodiscard]] session_status status_for_retry(session_status before);

/// A turn that waits, as it is stored: nobody has tried it.
[[nodiscard]] session_turn as_queued(
    session_turn turn, wall_time now, std::chrono::milliseconds delay = {}
);

/// Whether it is one that can be taken back.
[[nodiscard]] bool is_wake_ahead(const session_turn& turn);

/// Whether a session that is left so waits for nobody.
[[nodiscard]] constexpr bool is_quiet(session_status left) noexcept {
    return left == session_status::idle || left == session_status::failed;
}

/// What the end of its run makes of a turn.
[[nodiscard]] turn_status status_of_turn_after(run_status ended);

/// Those that are not stored yet: it may be said again. Nothing if they are not one piece that joins on to the stream.
[[nodiscard]] std::optional<std::vector<run_frame>> frames_to_add(
    const std::vector<run_frame>& given, std::int64_t next_frame
);

/// The frames go on where the run's stream ends, without a gap.
[[nodiscard]] bool are_next_frames(const std::vector<run_frame>& frames, std::int64_t next_frame);

[[nodiscard]] std::string text_of_calls(const std::vector<open_call>& calls);
[[nodiscard]] std::vector<open_call> calls_of_text(std::string_view text);

/// A turn and how many were queued before it, in the whole store.
struct numbered_turn {
    std::int64_t number = 0;
    session_turn turn;
};

/// The first of each organisation, then the second of each, ...; within an organisation, and of those in the same
/// place, by (`not_before`, number).
[[nodiscard]] std::vector<session_turn> take_in_turn(
    std::vector<numbered_turn> due, std::size_t limit
);

}  // namespace convene
