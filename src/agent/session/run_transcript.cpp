// SPDX-License-Identifier: Apache-2.0
// Run transcript: messages and calls grow with their pieces.
#include "agent/session/run_transcript.hpp"

#include <algorithm>

namespace convene {

void run_transcript::take(const run_event& event) {
    if (const auto* text = std::get_if<run_events::text>(&event)) {
        if (messages_.empty() || messages_.back().id != text->message) {
            messages_.push_back({text->message, {}});
        }
        messages_.back().text += text->piece;
    } else if (const auto* end = std::get_if<run_events::text_end>(&event)) {
        const auto ended = std::ranges::find(messages_, end->message, &told_message::id);
        if (ended != messages_.end()) {
            ended->is_whole = true;
        }
    } else if (const auto* start = std::get_if<run_events::call_start>(&event)) {
        calls_.push_back({start->call, start->tool, {}});
    } else if (const auto* arguments = std::get_if<run_events::call_arguments>(&event)) {
        if (told_call* call = find_call(arguments->call)) {
            call->arguments += arguments->piece;
        }
    } else if (const auto* result = std::get_if<run_events::call_result>(&event)) {
        if (told_call* call = find_call(result->call)) {
            call->result = result->text;
            call->result_id = result->message;
        }
    } else if (std::holds_alternative<run_events::finished>(event) ||
               std::holds_alternative<run_events::failed>(event)) {
        has_ended_ = true;
    }
}

told_call* run_transcript::find_call(const std::string& id) {
    const auto found = std::ranges::find(calls_, id, &told_call::id);
    return found == calls_.end() ? nullptr : &*found;
}

}  // namespace convene
