// SPDX-License-Identifier: Apache-2.0
// What holds for every stream of a model's answer, whatever its bytes are and however they are cut.
#pragma once

#include "convene/chat_model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/provider/answer_stream.hpp"
#include "base/assert.hpp"
#include "base/text_boundary.hpp"
#include "net/sse_frames.hpp"

namespace convene {

struct fuzzed_answer {
    std::string text;
    std::string thinking;
    std::map<std::string, std::string> arguments;  ///< by call
    std::size_t ended_calls = 0;
    result<> taken;
    std::optional<model_answer> answer;
};

inline void check_is_text(std::string_view text) {
    CONVENE_ASSERT(check_text(text, "text", {.max_text_bytes = SIZE_MAX}), "a piece is no text");
}

inline void add_piece(const model_piece& piece, fuzzed_answer& to) {
    if (const auto* const said = std::get_if<text_piece>(&piece)) {
        CONVENE_ASSERT(!said->text.empty(), "a piece is empty");
        check_is_text(said->text);
        to.text += said->text;
    } else if (const auto* const thought = std::get_if<thinking_piece>(&piece)) {
        CONVENE_ASSERT(!thought->text.empty(), "a piece is empty");
        check_is_text(thought->text);
        to.thinking += thought->text;
    } else if (const auto* const start = std::get_if<call_start>(&piece)) {
        CONVENE_ASSERT(!start->id.empty() && !start->name.empty(), "a call has no id or name");
        CONVENE_ASSERT(to.arguments.emplace(start->id, "").second, "two calls share an id");
    } else if (const auto* const more = std::get_if<call_arguments>(&piece)) {
        check_is_text(more->text);
        CONVENE_ASSERT(to.arguments.contains(more->id), "arguments for no call");
        to.arguments[more->id] += more->text;
    } else {
        CONVENE_ASSERT(to.arguments.contains(std::get<call_end>(piece).id), "no call is ended");
        ++to.ended_calls;
    }
}

template <class Stream>
fuzzed_answer read_fuzzed(std::string_view bytes, std::size_t piece) {
    answer_limits limits;
    limits.text_bytes = 1024;
    limits.argument_bytes = 256;
    limits.calls = 4;
    limits.frame_bytes = 4096;
    Stream stream{limits, {"seed", {"taken"}}};
    sse_frames frames{limits.frame_bytes};
    fuzzed_answer read;
    const auto collect = [&] {
        for (const model_piece& one : stream.take_pieces()) {
            add_piece(one, read);
        }
    };
    while (!bytes.empty() && read.taken && !stream.has_ended()) {
        const std::string_view next = bytes.substr(0, piece);
        bytes.remove_prefix(next.size());
        const result<> fits = frames.push(next);
        auto frame = frames.next();
        while (frame && read.taken && !stream.has_ended()) {
            read.taken = stream.take(*frame);
            frame = frames.next();
        }
        collect();
        if (read.taken && !stream.has_ended()) {
            read.taken = fits;
        }
    }
    if (read.taken && stream.is_complete()) {
        result<model_answer> whole = stream.finish();
        collect();
        if (whole) {
            read.answer = *std::move(whole);
        }
    }
    return read;
}

template <class Stream>
void check_stream(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{data, data + size};
    const fuzzed_answer whole = read_fuzzed<Stream>(bytes, bytes.size() + 1);
    const fuzzed_answer cut = read_fuzzed<Stream>(bytes, 1);
    CONVENE_ASSERT(
        whole.text == cut.text && whole.thinking == cut.thinking, "texts depend on the cut"
    );
    CONVENE_ASSERT(whole.arguments == cut.arguments, "arguments depend on the cut");
    CONVENE_ASSERT(
        whole.answer.has_value() == cut.answer.has_value(), "the end depends on the cut"
    );
    if (whole.answer) {
        const chat_message& said = whole.answer->message;
        CONVENE_ASSERT(said == cut.answer->message, "the answer depends on the cut");
        CONVENE_ASSERT(
            said.text == whole.text && said.thinking == whole.thinking, "pieces are missing"
        );
        CONVENE_ASSERT(said.calls.size() == whole.ended_calls, "a call did not end");
        check_is_text(said.thinking_signature);
        for (const tool_call& call : said.calls) {
            CONVENE_ASSERT(call.arguments.str().starts_with('{'), "arguments are no object");
            CONVENE_ASSERT(json_text::parse(call.arguments.str()), "arguments are no JSON");
        }
    }
}

}  // namespace convene
