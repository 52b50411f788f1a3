// SPDX-License-Identifier: Apache-2.0
// What became of a tool call, in the words that a model is told.
#pragma once

#include "convene/boundary.hpp"
#include "convene/chat.hpp"
#include "convene/tool.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

struct call_outcome {
    enum class state : std::uint8_t {
        completed = 1,
        failed = 2,   ///< it did not work, or was not called at all
        unknown = 3,  ///< it was cut off: it may have had an effect (A9)
    };

    state what = state::completed;
    std::string text;  ///< for the model: the tool's, or ours about what went wrong
    repair_record repairs{};
    std::chrono::milliseconds took{};
};

/// What is said of a call that was cut off.
inline constexpr std::string_view outcome_unknown_text =
    "The outcome of this call is unknown: it was cut off. It may have had an effect.";

/// What a tool said, through the text boundary (R16) and cut to `most_bytes`.
[[nodiscard]] call_outcome outcome_of(tool_output output, std::size_t most_bytes);

/// What the errors of a call mean. Cancelled and out of time are not failures: nobody knows what was done.
[[nodiscard]] call_outcome outcome_of(error_code failed, std::chrono::milliseconds limit);

[[nodiscard]] call_outcome failed_call(std::string text);

/// The message that a model reads.
[[nodiscard]] chat_message result_message(const tool_call& call, const call_outcome& outcome);

/// Text of at most `most_bytes`, and how much was left out.
[[nodiscard]] std::string cap_tool_text(std::string text, std::size_t most_bytes);

}  // namespace convene
