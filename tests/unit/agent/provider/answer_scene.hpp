// SPDX-License-Identifier: Apache-2.0
// Pieces as words, a sink that collects them, and streams that are read in pieces of any length.
#pragma once

#include "convene/chat_model.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/provider/answer_stream.hpp"
#include "net/sse_frames.hpp"

namespace convene {

/// `say hello`, `think ...`, `call id name`, `with id {...}`, `end id`.
inline std::string words_of(const model_piece& piece) {
    if (const auto* const text = std::get_if<text_piece>(&piece)) {
        return "say " + text->text;
    }
    if (const auto* const thought = std::get_if<thinking_piece>(&piece)) {
        return "think " + thought->text;
    }
    if (const auto* const start = std::get_if<call_start>(&piece)) {
        return "call " + start->id + " " + start->name;
    }
    if (const auto* const more = std::get_if<call_arguments>(&piece)) {
        return "with " + more->id + " " + more->text;
    }
    return "end " + std::get<call_end>(piece).id;
}

class collecting_sink final : public model_sink {
   public:
    [[nodiscard]] awaitable<result<>> take(model_piece piece) override {
        if (refuses) {
            co_return *refuses;
        }
        seen.push_back(words_of(piece));
        co_return result<>{};
    }

    std::vector<std::string> seen;
    std::optional<errc> refuses;
};

/// What a stream came to.
struct heard_answer {
    std::vector<std::string> pieces;
    result<> taken;
    std::optional<model_answer> answer;
    std::optional<provider_error> said;
};

/// Reads a stream that comes in pieces of one length.
template <class Stream>
heard_answer hear(
    std::string_view bytes,
    std::size_t length,
    answer_limits limits = {},
    call_ids ids = {"seed", {}}
) {
    Stream stream{limits, std::move(ids)};
    sse_frames frames{limits.frame_bytes};
    heard_answer heard;
    const auto collect = [&] {
        for (const model_piece& piece : stream.take_pieces()) {
            heard.pieces.push_back(words_of(piece));
        }
    };
    for (std::size_t at = 0; at < bytes.size() && heard.taken && !stream.has_ended();
         at += length) {
        heard.taken = frames.push(bytes.substr(at, length));
        while (auto frame = frames.next()) {
            if (!heard.taken || stream.has_ended()) {
                break;
            }
            heard.taken = stream.take(*frame);
            collect();
        }
    }
    heard.said = stream.said();
    if (heard.taken && stream.is_complete()) {
        result<model_answer> whole = stream.finish();
        collect();
        if (whole) {
            heard.answer = *std::move(whole);
        } else {
            heard.taken = whole.error();
        }
    }
    return heard;
}

}  // namespace convene
