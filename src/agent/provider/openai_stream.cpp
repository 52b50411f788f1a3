// SPDX-License-Identifier: Apache-2.0
// Chunks of chat completions: deltas of one choice, then its finish reason, then usage.
#include "agent/provider/openai_stream.hpp"

#include <string_view>

#include "agent/provider/frame_json.hpp"

namespace convene {

namespace {

constexpr std::string_view end_mark = "[DONE]";

finish_reason reason_of(std::string_view word) noexcept {
    if (word == "length") {
        return finish_reason::length;
    }
    if (word == "tool_calls" || word == "function_call") {
        return finish_reason::tool_calls;
    }
    // What servers call other ends is an end all the same.
    return word == "content_filter" ? finish_reason::refused : finish_reason::stop;
}

std::string_view thought_in(const boost::json::value* delta) noexcept {
    const std::string_view thought = text_of(member(delta, "reasoning_content"));
    return thought.empty() ? text_of(member(delta, "reasoning")) : thought;
}

}  // namespace

result<> openai_stream::take(const sse_frame& frame) {
    if (frame.data == end_mark) {
        has_ended_ = true;
        return {};
    }
    const std::optional<boost::json::value> read = read_frame(frame.data);
    if (!read || !read->is_object()) {
        return errc::corrupt_data;
    }
    const boost::json::value* const error = member(&*read, "error");
    if (frame.event == "error" || (error != nullptr && !error->is_null())) {
        return fail_as_said(frame.data);
    }
    take_usage(member(&*read, "usage"));
    const boost::json::value* const choice = element(member(&*read, "choices"), 0);
    const result<> taken = take_delta(member(choice, "delta"));
    if (!taken) {
        return taken;
    }
    const std::string_view reason = text_of(member(choice, "finish_reason"));
    if (!reason.empty()) {
        reason_ = reason_of(reason);
    }
    return {};
}

result<> openai_stream::take_delta(const boost::json::value* delta) {
    if (const std::string_view thought = thought_in(delta); !thought.empty()) {
        const result<> taken = built_.think(thought);
        if (!taken) {
            return taken;
        }
    }
    // A refusal in words is what the model says.
    for (const std::string_view name : {"content", "refusal"}) {
        if (const std::string_view text = text_of(member(delta, name)); !text.empty()) {
            const result<> taken = built_.say(text);
            if (!taken) {
                return taken;
            }
        }
    }
    const boost::json::value* const calls = member(delta, "tool_calls");
    for (std::size_t i = 0; const auto* const call = element(calls, i); ++i) {
        const result<> taken = take_call(call);
        if (!taken) {
            return taken;
        }
    }
    return {};
}

/// A call is told by its index, and by its id where servers count badly.
result<> openai_stream::take_call(const boost::json::value* call) {
    const std::string id{text_of(member(call, "id"))};
    const boost::json::value* const function = member(call, "function");
    const std::string_view name = text_of(member(function, "name"));
    const std::optional<std::int64_t> index = integer_of(member(call, "index"));

    std::optional<known_call> found = last_;
    if (index) {
        const auto known = by_index_.find(*index);
        found = known == by_index_.end() ? std::nullopt : std::optional{known->second};
    }
    const bool is_another = found && !id.empty() && id != found->id && built_.has_name(found->slot);
    const bool is_unnumbered_start = found && !index && id.empty() && !name.empty() &&
                                     built_.has_name(found->slot);
    if (!found || is_another || is_unnumbered_start) {
        found = known_call{calls_, id};
        const result<> started = built_.start_call(calls_, id);
        if (!started) {
            return started;
        }
        ++calls_;
    }
    last_ = found;
    if (index) {
        by_index_.insert_or_assign(*index, *found);
    }
    if (!name.empty() && !built_.has_name(found->slot)) {
        built_.name_call(found->slot, name);
    }
    const std::string_view text = text_of(member(function, "arguments"));
    return text.empty() ? result<>{} : built_.add_arguments(found->slot, text);
}

void openai_stream::take_usage(const boost::json::value* usage) {
    usage_.input = tokens_of(member(usage, "prompt_tokens")).value_or(usage_.input);
    usage_.output = tokens_of(member(usage, "completion_tokens")).value_or(usage_.output);
}

}  // namespace convene
