// SPDX-License-Identifier: Apache-2.0
// AG-UI encoder: one writer for each kind of event, and the groups that are open.
#include "agent/agui/agui_encoder.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::string_view protocol_version = "1.0";

/// The one field that most events of a group have besides their type.
std::string frame_of(std::string_view type, std::string_view field, std::string_view value) {
    json_writer out;
    out.begin_object().key("type").string(type).key(field).string(value).end_object();
    return out.take().str();
}

std::string piece_frame(
    std::string_view type, std::string_view field, std::string_view value, std::string_view piece
) {
    json_writer out;
    out.begin_object().key("type").string(type).key(field).string(value);
    out.key("delta").string(piece).end_object();
    return out.take().str();
}

void write_usage(json_writer* out, const token_usage& usage) {
    if (usage == token_usage{}) {
        return;
    }
    out->key("usage").begin_array().begin_object();
    out->key("inputTokens").integer(usage.input);
    out->key("outputTokens").integer(usage.output);
    out->key("totalTokens").integer(usage.input + usage.output);
    out->end_object().end_array();
}

void write_interrupt(json_writer* out, const run_events::interrupt& one) {
    out->begin_object().key("id").string(one.id).key("reason").string(one.reason);
    if (!one.message.empty()) {
        out->key("message").string(one.message);
    }
    if (!one.call.empty()) {
        out->key("toolCallId").string(one.call);
    }
    if (one.response_schema) {
        out->key("responseSchema").json(*one.response_schema);
    }
    if (!one.expires_at.empty()) {
        out->key("expiresAt").string(one.expires_at);
    }
    if (one.metadata) {
        out->key("metadata").json(*one.metadata);
    }
    out->end_object();
}

void write_outcome(json_writer* out, const run_events::finished& event) {
    using outcome = run_events::finished::outcome;
    out->key("outcome").begin_object();
    switch (event.how) {
        case outcome::success:
            out->key("type").string("success");
            if (!event.pending_calls.empty()) {
                out->key("pendingToolCallIds").begin_array();
                for (const std::string& call : event.pending_calls) {
                    out->string(call);
                }
                out->end_array();
            }
            break;
        case outcome::interrupted:
            out->key("type").string("interrupt").key("interrupts").begin_array();
            for (const run_events::interrupt& one : event.interrupts) {
                write_interrupt(out, one);
            }
            out->end_array();
            break;
        case outcome::cancelled:
            out->key("type").string("cancelled");
            break;
    }
    out->end_object();
}

}  // namespace

std::vector<std::string> agui_encoder::encode(const run_event& event) {
    if (!has_ended_) {
        std::visit([this](const auto& what) { write(what); }, event);
    }
    return std::exchange(out_, {});
}

std::vector<std::string> agui_encoder::close_groups() {
    close_all();
    return std::exchange(out_, {});
}

std::vector<std::string> agui_encoder::calls_without_result() const {
    return {without_result_.begin(), without_result_.end()};
}

void agui_encoder::take_stored(const run_event& event) {
    const std::vector<std::string> again = encode(event);
    static_cast<void>(again);  // it is stored already; what counts is what is open now
}

// ---- text and thinking -----------------------------------------------------------------------------------

void agui_encoder::write(const run_events::started& event) {
    if (has_started_) {
        return;
    }
    has_started_ = true;
    thread_ = event.thread;
    run_ = event.run;
    json_writer out;
    out.begin_object().key("type").string("RUN_STARTED").key("threadId").string(thread_);
    out.key("runId").string(run_).key("protocolVersion").string(protocol_version).end_object();
    add(out.take().str());
}

void agui_encoder::write(const run_events::text& event) {
    if (event.piece.empty()) {
        return;
    }
    open_text(event.message);
    add(piece_frame("TEXT_MESSAGE_CONTENT", "messageId", text_, event.piece));
}

void agui_encoder::write(const run_events::text_end& event) {
    if (text_ == event.message) {
        close_text();
    }
}

void agui_encoder::write(const run_events::thinking& event) {
    if (event.piece.empty()) {
        return;
    }
    open_thinking(event.message);
    add(piece_frame("REASONING_MESSAGE_CONTENT", "messageId", thinking_, event.piece));
}

void agui_encoder::write(const run_events::thinking_end& event) {
    if (thinking_ == event.message) {
        close_thinking();
    }
}

void agui_encoder::open_text(const std::string& message) {
    if (text_ == message) {
        return;
    }
    close_all();
    text_ = message;
    json_writer out;
    out.begin_object().key("type").string("TEXT_MESSAGE_START").key("messageId").string(message);
    out.key("role").string("assistant").end_object();
    add(out.take().str());
}

void agui_encoder::open_thinking(const std::string& message) {
    if (thinking_ == message) {
        return;
    }
    close_all();
    thinking_ = message;
    add(frame_of("REASONING_START", "messageId", message));
    json_writer out;
    out.begin_object().key("type").string("REASONING_MESSAGE_START");
    out.key("messageId").string(message).key("role").string("reasoning").end_object();
    add(out.take().str());
}

void agui_encoder::close_text() {
    if (!text_.empty()) {
        add(frame_of("TEXT_MESSAGE_END", "messageId", text_));
        text_.clear();
    }
}

void agui_encoder::close_thinking() {
    if (!thinking_.empty()) {
        add(frame_of("REASONING_MESSAGE_END", "messageId", thinking_));
        add(frame_of("REASONING_END", "messageId", thinking_));
        thinking_.clear();
    }
}

void agui_encoder::close_all() {
    close_thinking();
    close_text();
    for (const std::string& call : std::exchange(open_calls_, {})) {
        add(frame_of("TOOL_CALL_END", "toolCallId", call));
    }
}

// ---- tool calls ------------------------------------------------------------------------------------------

void agui_encoder::write(const run_events::call_start& event) {
    // Calls of one message may be open side by side; text around them may not.
    close_thinking();
    close_text();
    open_calls_.push_back(event.call);
    without_result_.insert(event.call);
    json_writer out;
    out.begin_object().key("type").string("TOOL_CALL_START").key("toolCallId").string(event.call);
    out.key("toolCallName").string(event.tool);
    if (!event.message.empty()) {
        out.key("parentMessageId").string(event.message);
    }
    out.end_object();
    add(out.take().str());
}

void agui_encoder::write(const run_events::call_arguments& event) {
    if (!event.piece.empty() && std::ranges::find(open_calls_, event.call) != open_calls_.end()) {
        add(piece_frame("TOOL_CALL_ARGS", "toolCallId", event.call, event.piece));
    }
}

void agui_encoder::write(const run_events::call_end& event) { close_call(event.call); }

void agui_encoder::close_call(const std::string& call) {
    if (std::erase(open_calls_, call) != 0) {
        add(frame_of("TOOL_CALL_END", "toolCallId", call));
    }
}

void agui_encoder::write(const run_events::call_result& event) {
    if (without_result_.erase(event.call) == 0) {
        return;  // each call has one result
    }
    close_thinking();
    close_text();
    close_call(event.call);
    json_writer out;
    out.begin_object().key("type").string("TOOL_CALL_RESULT");
    out.key("messageId").string(event.message).key("toolCallId").string(event.call);
    out.key("content").string(event.text).key("role").string("tool").end_object();
    add(out.take().str());
}

// ---- state and the rest ----------------------------------------------------------------------------------

void agui_encoder::write(const run_events::state_snapshot& event) {
    json_writer out;
    out.begin_object().key("type").string("STATE_SNAPSHOT");
    out.key("snapshot").json(event.state).end_object();
    add(out.take().str());
}

void agui_encoder::write(const run_events::state_delta& event) {
    json_writer out;
    out.begin_object().key("type").string("STATE_DELTA").key("delta").json(event.patch);
    out.end_object();
    add(out.take().str());
}

void agui_encoder::write(const run_events::custom& event) {
    json_writer out;
    out.begin_object().key("type").string("CUSTOM").key("name").string(event.name);
    out.key("value").json(event.value).end_object();
    add(out.take().str());
}

// ---- the end ---------------------------------------------------------------------------------------------

void agui_encoder::write(const run_events::finished& event) {
    close_all();
    json_writer out;
    out.begin_object().key("type").string("RUN_FINISHED").key("threadId").string(thread_);
    out.key("runId").string(run_);
    write_outcome(&out, event);
    write_usage(&out, event.usage);
    out.end_object();
    add(out.take().str());
    has_ended_ = true;
}

void agui_encoder::write(const run_events::failed& event) {
    close_all();
    json_writer out;
    out.begin_object().key("type").string("RUN_ERROR").key("message").string(event.message);
    if (!event.code.empty()) {
        out.key("code").string(event.code);
    }
    write_usage(&out, event.usage);
    out.end_object();
    add(out.take().str());
    has_ended_ = true;
}

void agui_encoder::add(std::string frame) { out_.push_back(std::move(frame)); }

}  // namespace convene
