// SPDX-License-Identifier: Apache-2.0
// Bits of an answer become pieces at once, and a message at the end.
#include "agent/provider/answer_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

std::set<std::string> call_ids_of(const std::vector<chat_message>& messages) {
    std::set<std::string> ids;
    for (const chat_message& said : messages) {
        for (const tool_call& call : said.calls) {
            ids.insert(call.id);
        }
    }
    return ids;
}

result<> answer_builder::think(std::string_view text) { return give_thought(thoughts_.push(text)); }

result<> answer_builder::say(std::string_view text) {
    const result<> ended = end_thought();
    return ended ? give_text(words_.push(text)) : ended;
}

result<> answer_builder::start_call(std::size_t slot, std::string_view id) {
    if (calls_.size() >= limits_.calls) {
        return errc::payload_too_large;
    }
    const result<> ended = end_text();
    if (!ended) {
        return ended;
    }
    open_call call;
    call.id = usable_id(id);
    calls_.emplace(slot, std::move(call));
    return {};
}

void answer_builder::name_call(std::size_t slot, std::string_view name) {
    open_call& call = calls_.at(slot);
    constexpr boundary_limits limits{.max_text_bytes = 256};
    call.name = clean_text(name, limits).text;
    pieces_.emplace_back(call_start{call.id, call.name});
    if (!call.arguments.empty()) {
        pieces_.emplace_back(call_arguments{call.id, call.arguments});
    }
}

result<> answer_builder::add_arguments(std::size_t slot, std::string_view text) {
    open_call& call = calls_.at(slot);
    return give_arguments(call, call.mender.push(text));
}

bool answer_builder::has_name(std::size_t slot) const {
    const auto found = calls_.find(slot);
    return found != calls_.end() && !found->second.name.empty();
}

bool answer_builder::has_arguments(std::size_t slot) const {
    const auto found = calls_.find(slot);
    return found != calls_.end() && !found->second.arguments.empty();
}

result<model_answer> answer_builder::finish(finish_reason reason, token_usage usage) {
    result<> ended = end_text();
    for (auto& [slot, call] : std::exchange(calls_, {})) {
        if (ended) {
            ended = end_call(std::move(call), reason);
        }
    }
    if (!ended) {
        return ended.error();
    }
    answer_.repairs += thoughts_.repairs();
    answer_.repairs += words_.repairs();
    // Some servers say `stop` behind calls, some `tool_calls` behind none.
    const bool has_calls = !answer_.message.calls.empty();
    if (reason == finish_reason::stop && has_calls) {
        reason = finish_reason::tool_calls;
    } else if (reason == finish_reason::tool_calls && !has_calls) {
        reason = finish_reason::stop;
    }
    answer_.message.role = chat_role::assistant;
    answer_.finish = reason;
    answer_.usage = usage;
    return std::move(answer_);
}

/// Results are told apart by these ids for as long as the conversation lives.
std::string answer_builder::usable_id(std::string_view id) {
    std::string usable{id};
    if (!check_id(id, "id") || ids_.taken.contains(usable)) {
        do {
            usable = "call_" + ids_.seed + "_" + std::to_string(++made_ids_);
        } while (ids_.taken.contains(usable));
    }
    ids_.taken.insert(usable);
    return usable;
}

/// What it thought is over when it speaks, or its last character would come behind the first words.
result<> answer_builder::end_thought() { return give_thought(thoughts_.finish()); }

result<> answer_builder::end_text() {
    const result<> ended = end_thought();
    return ended ? give_text(words_.finish()) : ended;
}

result<> answer_builder::give_thought(std::string text) {
    if (answer_.message.thinking.size() + text.size() > limits_.text_bytes) {
        return errc::payload_too_large;
    }
    if (!text.empty()) {
        answer_.message.thinking += text;
        pieces_.emplace_back(thinking_piece{std::move(text)});
    }
    return {};
}

result<> answer_builder::give_text(std::string text) {
    if (answer_.message.text.size() + text.size() > limits_.text_bytes) {
        return errc::payload_too_large;
    }
    if (!text.empty()) {
        answer_.message.text += text;
        pieces_.emplace_back(text_piece{std::move(text)});
    }
    return {};
}

result<> answer_builder::give_arguments(open_call& call, std::string text) {
    if (call.arguments.size() + text.size() > limits_.argument_bytes) {
        return errc::payload_too_large;
    }
    call.arguments += text;
    // Before the name is known there is no call to speak of; `name_call` gives what came.
    if (!text.empty() && !call.name.empty()) {
        pieces_.emplace_back(call_arguments{call.id, std::move(text)});
    }
    return {};
}

result<> answer_builder::end_call(open_call call, finish_reason reason) {
    if (call.name.empty()) {
        return errc::corrupt_data;
    }
    const result<> ended = give_arguments(call, call.mender.finish());
    if (!ended) {
        return ended;
    }
    // One level less than is let in, for the object around what is none.
    boundary_limits limits;
    --limits.max_json_depth;
    cleaned_json given = call.arguments.empty() ? cleaned_json{}
                                                : clean_json(call.arguments, limits);
    const bool is_object = given.value.str().starts_with('{');
    if (reason == finish_reason::refused || (reason == finish_reason::length && !is_object)) {
        return {};
    }
    if (!is_object) {
        json_writer wrapped;
        wrapped.begin_object().key("value").json(given.value).end_object();
        given.value = wrapped.take();
    }
    answer_.repairs += call.mender.repairs();
    answer_.repairs += given.repairs;
    pieces_.emplace_back(call_end{call.id});
    answer_.message.calls.push_back(
        {std::move(call.id), std::move(call.name), std::move(given.value)}
    );
    return {};
}

}  // namespace convene
