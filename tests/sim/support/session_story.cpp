// SPDX-License-Identifier: Apache-2.0
// Stories in words: `ask 17 act say`.
#include "sim/support/session_story.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace convene {

namespace {

constexpr std::string_view beginning = "ask ";

constexpr std::array<std::string_view, 11> words{
    "say", "think", "act", "twice", "slow", "stuck", "lethal", "pick", "fail", "hang", "die"
};

std::size_t calls_of(story_step step) noexcept {
    switch (step) {
        case story_step::act:
        case story_step::slow:
        case story_step::stuck:
        case story_step::lethal:
        case story_step::pick:
            return 1;
        case story_step::twice:
            return 2;
        default:
            return 0;
    }
}

std::optional<sim_story> read_story(const std::string& text) {
    if (!text.starts_with(beginning)) {
        return std::nullopt;
    }
    std::istringstream in{text.substr(beginning.size())};
    sim_story story;
    in >> story.number;
    for (std::string word; in >> word;) {
        const auto known = std::ranges::find(words, word);
        if (known != words.end()) {
            story.steps.push_back(static_cast<story_step>(known - words.begin()));
        }
    }
    return story;
}

}  // namespace

std::string_view word_of(story_step step) noexcept { return words[static_cast<std::size_t>(step)]; }

std::string write_story(const sim_story& story) {
    std::string text = std::string{beginning} + std::to_string(story.number);
    for (const story_step step : story.steps) {
        text.append(" ").append(word_of(step));
    }
    return text;
}

story_place find_place(const std::vector<chat_message>& conversation) {
    story_place place;
    std::optional<sim_story> told;
    std::size_t results = 0;
    for (const chat_message& message : conversation) {
        if (message.role == chat_role::user) {
            told = read_story(message.text);
            results = 0;
        }
        results += message.role == chat_role::tool ? 1 : 0;
    }
    if (!told) {
        return place;
    }
    place.number = told->number;
    for (const story_step step : told->steps) {
        const std::size_t calls = calls_of(step);
        if (calls == 0 || results < calls) {
            place.step = step;
            return place;
        }
        results -= calls;
        ++place.position;
    }
    return place;
}

}  // namespace convene
