// SPDX-License-Identifier: Apache-2.0
// Stories: what a client asks for is written in its message, so that every worker's model answers alike.
#pragma once

#include "convene/chat.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What the model does for one answer. Those with calls are followed by the next step, once the calls have results.
enum class story_step : std::uint8_t {
    say,
    think,   ///< and says
    act,     ///< calls a tool
    twice,   ///< calls two at once
    slow,    ///< the tool takes a while, also after its effect
    stuck,   ///< the tool never ends
    lethal,  ///< the tool ends its worker
    pick,    ///< calls a tool of the client
    fail,    ///< breaks off in the middle, whoever asks
    hang,    ///< says something, and then nothing more
    die,     ///< says something, and ends its worker
};

[[nodiscard]] std::string_view word_of(story_step step) noexcept;

struct sim_story {
    int number = 0;  ///< of the message in its run
    std::vector<story_step> steps;
};

[[nodiscard]] std::string write_story(const sim_story& story);

/// Where a conversation is in the story of its last message.
struct story_place {
    int number = 0;
    std::size_t position = 0;  ///< of the step
    story_step step = story_step::say;
};

/// Whoever has said all says something still.
[[nodiscard]] story_place find_place(const std::vector<chat_message>& conversation);

}  // namespace convene
