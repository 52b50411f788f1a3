// SPDX-License-Identifier: Apache-2.0
// What happens in a run, as its stream tells it; `agui_encoder` gives it the form in which it is sent.
#pragma once

#include "convene/chat_model.hpp"
#include "convene/json_text.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene::run_events {

/// The first of a stream.
struct started {
    std::string thread;
    std::string run;
};

/// The agent speaks. `message` is the id that the stored event will have.
struct text {
    std::string message;
    std::string piece;
};

struct text_end {
    std::string message;
};

/// The agent thinks; what it thinks is shown and not stored.
struct thinking {
    std::string message;
    std::string piece;
};

struct thinking_end {
    std::string message;
};

struct call_start {
    std::string call;
    std::string tool;
    std::string message;  ///< the assistant's message that it belongs to; empty: none
};

struct call_arguments {
    std::string call;
    std::string piece;
};

struct call_end {
    std::string call;
};

struct call_result {
    std::string call;
    std::string message;  ///< the id that the stored event has
    std::string text;
};

/// The whole state, merged from its scopes.
struct state_snapshot {
    json_text state;
};

struct state_delta {
    json_text patch;  ///< RFC 6902
};

/// Something that AG-UI has no word for: `takeover`, ...
struct custom {
    std::string name;
    json_text value;
};

/// Something that a person has to answer before the session goes on.
struct interrupt {
    std::string id;
    std::string reason;
    std::string message;
    std::string call;  ///< the tool call it belongs to; empty: none
    std::optional<json_text> response_schema{};
    std::string expires_at{};  ///< RFC 3339; empty: never
    std::optional<json_text> metadata{};
};

/// The last of a stream, unless it is `failed`.
struct finished {
    enum class outcome : std::uint8_t { success, interrupted, cancelled };

    outcome how = outcome::success;
    std::vector<std::string> pending_calls{
    };  ///< of client tools, whose results come with the next run
    std::vector<interrupt> interrupts{};  ///< not empty where it is interrupted
    token_usage usage{};
};

/// The last of a stream.
struct failed {
    std::string message;  ///< for people
    std::string code;     ///< stable, in capitals
    token_usage usage{};
};

}  // namespace convene::run_events

namespace convene {

using run_event = std::variant<
    run_events::started,
    run_events::text,
    run_events::text_end,
    run_events::thinking,
    run_events::thinking_end,
    run_events::call_start,
    run_events::call_arguments,
    run_events::call_end,
    run_events::call_result,
    run_events::state_snapshot,
    run_events::state_delta,
    run_events::custom,
    run_events::finished,
    run_events::failed>;

}  // namespace convene
