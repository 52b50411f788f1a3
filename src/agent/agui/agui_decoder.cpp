// SPDX-License-Identifier: Apache-2.0
// AG-UI decoder: type and fields of our own frames.
#include "agent/agui/agui_decoder.hpp"

#include <boost/json/object.hpp>

#include <string>

#include "base/json.hpp"

namespace convene {

namespace {

/// Empty where it has none.
std::string field_of(const boost::json::object& frame, std::string_view name) {
    const boost::json::value* found = frame.if_contains(name);
    return found != nullptr && found->is_string() ? std::string{found->get_string()}
                                                  : std::string{};
}

}  // namespace

result<std::optional<run_event>> decode_agui(std::string_view frame) {
    const auto document = json_document::parse(frame, "frame", boundary_limits::of_stored_json());
    const boost::json::object* fields = document ? document->root().if_object() : nullptr;
    if (fields == nullptr) {
        return errc::corrupt_data;
    }
    const auto text = [fields](std::string_view name) { return field_of(*fields, name); };
    const std::string type = text("type");
    std::optional<run_event> event;
    if (type == "RUN_STARTED") {
        event = run_events::started{text("threadId"), text("runId")};
    } else if (type == "TEXT_MESSAGE_CONTENT") {
        event = run_events::text{text("messageId"), text("delta")};
    } else if (type == "TEXT_MESSAGE_END") {
        event = run_events::text_end{text("messageId")};
    } else if (type == "REASONING_MESSAGE_CONTENT") {
        event = run_events::thinking{text("messageId"), text("delta")};
    } else if (type == "REASONING_END") {
        event = run_events::thinking_end{text("messageId")};
    } else if (type == "TOOL_CALL_START") {
        event = run_events::call_start{
            text("toolCallId"), text("toolCallName"), text("parentMessageId")
        };
    } else if (type == "TOOL_CALL_ARGS") {
        event = run_events::call_arguments{text("toolCallId"), text("delta")};
    } else if (type == "TOOL_CALL_END") {
        event = run_events::call_end{text("toolCallId")};
    } else if (type == "TOOL_CALL_RESULT") {
        event = run_events::call_result{text("toolCallId"), text("messageId"), text("content")};
    } else if (type == "RUN_FINISHED") {
        event = run_events::finished{};
    } else if (type == "RUN_ERROR") {
        event = run_events::failed{text("message"), text("code")};
    }
    return event;
}

}  // namespace convene
