// SPDX-License-Identifier: Apache-2.0
// Events of a message: which block they belong to, and what they add to it.
#include "agent/provider/anthropic_stream.hpp"

#include <boost/json/serialize.hpp>

#include <string_view>

#include "agent/provider/frame_json.hpp"

namespace convene {

namespace {

/// Of any kind; far more than a message has.
constexpr std::size_t most_blocks = 1024;

finish_reason reason_of(std::string_view word) noexcept {
    if (word == "max_tokens" || word == "model_context_window_exceeded") {
        return finish_reason::length;
    }
    if (word == "tool_use") {
        return finish_reason::tool_calls;
    }
    // `end_turn`, `stop_sequence`, and what may be added: the model has ended.
    return word == "refusal" ? finish_reason::refused : finish_reason::stop;
}

}  // namespace

result<> anthropic_stream::take(const sse_frame& frame) {
    const std::optional<boost::json::value> read = read_frame(frame.data);
    if (!read || !read->is_object()) {
        return errc::corrupt_data;
    }
    const std::string_view type = text_of(member(&*read, "type"));
    if (type == "content_block_delta") {
        return take_delta(*read);
    }
    if (type == "content_block_start") {
        return start_block(*read);
    }
    if (type == "content_block_stop") {
        return stop_block(*read);
    }
    if (type == "message_start") {
        take_usage(member(member(&*read, "message"), "usage"));
    } else if (type == "message_delta") {
        take_stop(*read);
    } else if (type == "message_stop") {
        has_ended_ = true;
    } else if (type == "error") {
        return fail_as_said(frame.data);
    }
    return {};
}

result<> anthropic_stream::start_block(const boost::json::value& frame) {
    const std::optional<std::int64_t> index = integer_of(member(&frame, "index"));
    const boost::json::value* const content = member(&frame, "content_block");
    if (!index || content == nullptr || blocks_.contains(*index)) {
        return errc::corrupt_data;
    }
    if (blocks_.size() >= most_blocks) {
        return errc::payload_too_large;
    }
    const std::string_view type = text_of(member(content, "type"));
    if (type == "tool_use") {
        return start_call(*index, content);
    }
    if (type == "thinking" || type == "redacted_thinking") {
        return start_thinking(*index, content);
    }
    if (type != "text") {
        blocks_[*index] = {};
        return {};
    }
    blocks_[*index].kind = block_kind::text;
    return built_.say(text_of(member(content, "text")));
}

result<> anthropic_stream::start_call(std::int64_t index, const boost::json::value* content) {
    const std::string_view name = text_of(member(content, "name"));
    if (name.empty()) {
        return errc::corrupt_data;
    }
    const result<> started = built_.start_call(calls_, text_of(member(content, "id")));
    if (!started) {
        return started;
    }
    built_.name_call(calls_, name);
    block call{block_kind::call, calls_++};
    const boost::json::value* const input = member(content, "input");
    if (input != nullptr && input->is_object() && !input->get_object().empty()) {
        call.whole_arguments = boost::json::serialize(*input);
    }
    blocks_[index] = std::move(call);
    return {};
}

result<> anthropic_stream::start_thinking(std::int64_t index, const boost::json::value* content) {
    if (thoughts_.size() >= limits_.calls) {
        return errc::payload_too_large;
    }
    blocks_[index] = {block_kind::thinking, thoughts_.size()};
    thinking_block& thought = thoughts_.emplace_back();
    thought.is_hidden = text_of(member(content, "type")) == "redacted_thinking";
    thought.seal = text_of(member(content, thought.is_hidden ? "data" : "signature"));
    sealed_bytes_ += thought.seal.size();
    if (sealed_bytes_ > limits_.text_bytes) {
        return errc::payload_too_large;
    }
    return add_thought(thought, text_of(member(content, "thinking")));
}

result<> anthropic_stream::add_thought(thinking_block& to, std::string_view text) {
    to.text += text;
    return built_.think(text);
}

result<> anthropic_stream::take_delta(const boost::json::value& frame) {
    const auto found = blocks_.find(integer_of(member(&frame, "index")).value_or(-1));
    if (found == blocks_.end()) {
        return errc::corrupt_data;
    }
    const boost::json::value* const delta = member(&frame, "delta");
    const std::string_view type = text_of(member(delta, "type"));
    const block& into = found->second;
    if (into.kind == block_kind::text && type == "text_delta") {
        return built_.say(text_of(member(delta, "text")));
    }
    if (into.kind == block_kind::call && type == "input_json_delta") {
        return built_.add_arguments(into.number, text_of(member(delta, "partial_json")));
    }
    if (into.kind != block_kind::thinking) {
        return {};
    }
    thinking_block& thought = thoughts_[into.number];
    if (type == "signature_delta") {
        const std::string_view more = text_of(member(delta, "signature"));
        sealed_bytes_ += more.size();
        thought.seal += more;
        return sealed_bytes_ > limits_.text_bytes ? result<>{errc::payload_too_large} : result<>{};
    }
    return type == "thinking_delta" ? add_thought(thought, text_of(member(delta, "thinking")))
                                    : result<>{};
}

result<> anthropic_stream::stop_block(const boost::json::value& frame) {
    const auto found = blocks_.find(integer_of(member(&frame, "index")).value_or(-1));
    if (found == blocks_.end()) {
        return errc::corrupt_data;
    }
    const block& stopped = found->second;
    if (stopped.kind == block_kind::call && !built_.has_arguments(stopped.number)) {
        return built_.add_arguments(stopped.number, stopped.whole_arguments);
    }
    return {};
}

void anthropic_stream::take_stop(const boost::json::value& frame) {
    take_usage(member(&frame, "usage"));
    const std::string_view word = text_of(member(member(&frame, "delta"), "stop_reason"));
    if (!word.empty()) {
        reason_ = reason_of(word);
        built_.seal(seal_of(thoughts_));
    }
}

/// What was read from or put into the provider's cache is input as well.
void anthropic_stream::take_usage(const boost::json::value* usage) {
    if (const auto fresh = tokens_of(member(usage, "input_tokens"))) {
        usage_.input = *fresh +
                       tokens_of(member(usage, "cache_creation_input_tokens")).value_or(0) +
                       tokens_of(member(usage, "cache_read_input_tokens")).value_or(0);
    }
    usage_.output = tokens_of(member(usage, "output_tokens")).value_or(usage_.output);
}

}  // namespace convene
