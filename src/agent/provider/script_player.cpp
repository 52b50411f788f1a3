// SPDX-License-Identifier: Apache-2.0
// Walks a block from its beginning, past the answers that were given, to the one that is due.
#include "agent/provider/script_player.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

using results = std::vector<const chat_message*>;

/// Where a conversation stands.
struct situation {
    const chat_message* asked = nullptr;  ///< the last message of a user; null: there is none
    std::int64_t turn = 0;
    std::vector<results> answers;  ///< for each answer since: the results of its calls
};

situation read_situation(const std::vector<chat_message>& messages) {
    situation now;
    for (const chat_message& said : messages) {
        switch (said.role) {
            case chat_role::user:
                now.asked = &said;
                ++now.turn;
                now.answers.clear();
                break;
            case chat_role::assistant:
                now.answers.emplace_back();
                break;
            case chat_role::tool:
                if (!now.answers.empty()) {
                    now.answers.back().push_back(&said);
                }
                break;
        }
    }
    return now;
}

std::string lowered(std::string_view text) {
    std::string low{text};
    std::ranges::transform(low, low.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return low;
}

bool fits(const script_block& block, const situation& now) {
    if (block.turn && *block.turn != now.turn) {
        return false;
    }
    const std::string said = now.asked == nullptr ? std::string{} : lowered(now.asked->text);
    return block.words.empty() ||
           std::ranges::any_of(block.words, [&said](const std::string& word) {
               return said.find(lowered(word)) != std::string::npos;
           });
}

bool has_failed(const results& of) {
    return std::ranges::any_of(of, [](const chat_message* one) { return one->is_error; });
}

/// The value at a path, as text; empty where there is none.
std::string value_at(const std::string& text, const std::vector<std::string>& path) {
    if (path.empty()) {
        return text;
    }
    const auto parsed = parse_json(text, "result");
    if (!parsed) {
        return {};
    }
    std::string_view value = parsed->str();
    for (const std::string& name : path) {
        const std::optional<std::string_view> inner = find_member(value, name);
        if (!inner) {
            return {};
        }
        value = *inner;
    }
    return decode_string(value).value_or(std::string{value});
}

std::string value_of(const script_variable& variable, const situation& now, const results* last) {
    switch (variable.kind) {
        case variable_kind::user:
            return now.asked == nullptr ? std::string{} : now.asked->text;
        case variable_kind::name:
            return now.asked == nullptr ? std::string{} : now.asked->name;
        case variable_kind::turn:
            return std::to_string(now.turn);
        case variable_kind::result:
            break;
    }
    if (last == nullptr || variable.number > last->size()) {
        return {};
    }
    return value_at((*last)[variable.number - 1]->text, variable.path);
}

enum class spelling : std::uint8_t { plain, inside_json };

std::string filled(
    const script_text& text, const situation& now, const results* last, spelling how
) {
    std::string whole;
    for (const auto& part : text) {
        if (const auto* const plain = std::get_if<std::string>(&part)) {
            whole += *plain;
            continue;
        }
        const std::string value = value_of(std::get<script_variable>(part), now, last);
        if (how == spelling::inside_json) {
            append_json_characters(whole, value);
        } else {
            whole += value;
        }
    }
    return whole;
}

played_step played(const script_step& step, const situation& now, const results* last) {
    return std::visit(
        [&](const auto& action) -> played_step {
            using kind = std::decay_t<decltype(action)>;
            if constexpr (std::is_same_v<kind, say_step>) {
                return played_text{filled(action.text, now, last, spelling::plain)};
            } else if constexpr (std::is_same_v<kind, think_step>) {
                return played_thought{filled(action.text, now, last, spelling::plain)};
            } else if constexpr (std::is_same_v<kind, call_step>) {
                return played_call{
                    action.tool, filled(action.arguments, now, last, spelling::inside_json)
                };
            } else {
                return action;
            }
        },
        step.action
    );
}

}  // namespace

std::vector<played_step> steps_of_answer(
    const model_script& script, const std::vector<chat_message>& messages
) {
    const situation now = read_situation(messages);
    const auto block = std::ranges::find_if(script.blocks(), [&now](const script_block& one) {
        return fits(one, now);
    });
    const std::size_t due = now.answers.size();
    std::size_t at = 0;  // the answer that the walk is in
    bool is_calling = false;
    std::vector<played_step> steps;
    for (const script_step& step : block->steps) {
        const bool is_call = std::holds_alternative<call_step>(step.action);
        // Calls that follow each other are made together; whatever else stands behind them waits for their results.
        if (is_calling && (!is_call || step.guard != step_guard::always)) {
            if (at == due) {
                break;
            }
            ++at;
            is_calling = false;
        }
        const results* const last = at == 0 ? nullptr : &now.answers[at - 1];
        if (step.guard != step_guard::always) {
            const bool wants_failure = step.guard == step_guard::if_failed;
            if (last == nullptr || has_failed(*last) != wants_failure) {
                continue;
            }
        }
        is_calling = is_call;
        if (at == due) {
            steps.push_back(played(step, now, last));
        }
    }
    return steps;
}

}  // namespace convene
