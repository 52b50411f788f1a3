// SPDX-License-Identifier: Apache-2.0
// D7: keys of stored answers, and what becomes of an answer whose worker died.
#pragma once

#include "convene/ids.hpp"
#include "convene/room_kit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/operations/timeline.hpp"

namespace convene {

// The idempotency keys of an agent row's answer. Together with uniqueness of keys in a room they
// are what keeps a second answer of one row from being stored. Frozen. A generation is 0 for the
// first answer and 1 for the only one that may follow it.

/// The `n`-th segment of a streamed answer: `reply:<row>:<generation>:<n>`.
[[nodiscard]] std::string reply_key(
    const delivery_id& row, std::int32_t generation, std::int32_t n
);

/// The event that closes a streamed answer: `reply:<row>:<generation>:end`.
[[nodiscard]] std::string reply_end_key(const delivery_id& row, std::int32_t generation);

/// An answer in one event: `reply:<row>:<generation>:whole`.
[[nodiscard]] std::string reply_whole_key(const delivery_id& row, std::int32_t generation);

/// The `n`-th record of a tool call of an answer: `reply:<row>:<generation>:call:<n>`.
[[nodiscard]] std::string reply_call_key(
    const delivery_id& row, std::int32_t generation, std::int32_t n
);

/// Whether only an agent row's answer may have this key.
[[nodiscard]] bool is_reply_key(std::string_view key) noexcept;

/// Whether the event with this reply key asks other agents in the name of its answer: the first
/// event of the first generation does. Otherwise an answer in many segments, or one made again,
/// would cause more than its part of the cascade's budget (R11).
[[nodiscard]] bool speaks_for_its_answer(std::string_view reply_key) noexcept;

/// The keys that `decide_recovery` needs to know about.
[[nodiscard]] std::vector<std::string> recovery_keys(const delivery_id& row);

/// What to do with an agent row that is not final and was adopted from a dead worker.
struct recovery_decision {
    enum class row_fate : std::uint8_t {
        answer,  ///< generate `generation`
        fail,    ///< what is stored stays the answer, cut off
        finish,  ///< the answer is stored whole
    };

    std::optional<std::int32_t> close;  ///< first close this generation as interrupted
    row_fate then = row_fate::answer;
    std::int32_t generation = 0;  ///< for `answer`

    friend bool operator==(const recovery_decision&, const recovery_decision&) = default;
};

/// Decides by which keys are stored; one whose event was deleted since counts as stored.
///
/// | generation 0     | generation 1     | `regenerate`      | `stop`        |
/// | ---------------- | ---------------- | ----------------- | ------------- |
/// | nothing          | nothing          | answer 0          | answer 0      |
/// | tool calls only  | nothing          | answer 1          | fail          |
/// | segments, no end | nothing          | close 0, answer 1 | close 0, fail |
/// | ended            | nothing          | answer 1          | fail          |
/// | one of these     | tool calls only  | fail              | fail          |
/// | one of these     | segments, no end | close 1, fail     | close 1, fail |
/// | one of these     | ended            | fail              | fail          |
/// | whole            |                  | finish            | finish        |
/// |                  | whole            | finish            | finish        |
///
/// So an answer is generated again at most once, and one that only called tools needs no closing: nothing was said.
/// *Requires*: an answer that ended well made its row
/// final in the same commit; an end that is found here closed an interrupted one.
[[nodiscard]] recovery_decision decide_recovery(
    const delivery_id& row, const std::vector<ops::key_hit>& stored, agent_recovery policy
);

}  // namespace convene
