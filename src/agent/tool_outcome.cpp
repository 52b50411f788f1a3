// SPDX-License-Identifier: Apache-2.0
// Outcomes of tool calls: one wording for models, records and histories.
#include "agent/tool_outcome.hpp"

#include <utility>

#include "base/text_boundary.hpp"
#include "base/utf8.hpp"

namespace convene {

std::string cap_tool_text(std::string text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) {
        return text;
    }
    const std::size_t kept = utf8_prefix(text, most_bytes).size();
    const std::size_t left_out = text.size() - kept;
    text.resize(kept);
    text += "\n[" + std::to_string(left_out) + " bytes left out]";
    return text;
}

call_outcome outcome_of(tool_output output, std::size_t most_bytes) {
    cleaned_text cleaned = clean_text(output.text);
    call_outcome said;
    said.what = output.is_error ? call_outcome::state::failed : call_outcome::state::completed;
    said.repairs = cleaned.repairs;
    said.text = cap_tool_text(std::move(cleaned.text), most_bytes);
    return said;
}

call_outcome outcome_of(error_code failed, std::chrono::milliseconds limit) {
    call_outcome ended;
    ended.what = call_outcome::state::unknown;
    if (failed == errc::timed_out) {
        ended.text = "No answer within " + std::to_string(limit.count()) + " ms. ";
        ended.text += outcome_unknown_text;
        return ended;
    }
    if (failed == errc::cancelled || failed == condition::outcome_unknown) {
        ended.text = outcome_unknown_text;
        return ended;
    }
    const bool is_ours = failed.category() == convene_category();
    const auto word = is_ours ? name_of(static_cast<errc>(failed.value())) : std::string_view{};
    return failed_call(word.empty() ? "The tool failed." : "The tool failed: " + std::string{word});
}

call_outcome failed_call(std::string text) {
    call_outcome failed;
    failed.what = call_outcome::state::failed;
    failed.text = std::move(text);
    return failed;
}

chat_message result_message(const tool_call& call, const call_outcome& outcome) {
    chat_message message{chat_role::tool, outcome.text};
    message.call_id = call.id;
    message.is_error = outcome.what != call_outcome::state::completed;
    return message;
}

}  // namespace convene
