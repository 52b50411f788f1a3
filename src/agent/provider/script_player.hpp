// SPDX-License-Identifier: Apache-2.0
// What a script answers in a conversation: a function of both, so that it may be played anywhere again.
#pragma once

#include "convene/chat.hpp"

#include <string>
#include <variant>
#include <vector>

#include "agent/provider/model_script.hpp"

namespace convene {

struct played_thought {
    std::string text;
};

struct played_text {
    std::string text;
};

struct played_call {
    std::string tool;
    std::string arguments;
};

/// A step with its variables filled in.
using played_step = std::
    variant<played_thought, played_text, played_call, wait_step, fail_step, end_step>;

/// The steps of the next answer. The block is chosen by the last message of a user; how far it was played is told by
/// the assistant's messages behind that. Empty: the block was played to its end.
[[nodiscard]] std::vector<played_step> steps_of_answer(
    const model_script& script, const std::vector<chat_message>& messages
);

}  // namespace convene
