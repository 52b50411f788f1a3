// SPDX-License-Identifier: Apache-2.0
// What is said to a model and what it says: messages, tool calls, and the tools it may call.
#pragma once

#include "convene/json_text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// Who speaks in a conversation with a model.
enum class chat_role : std::uint8_t {
    user = 1,       ///< people, and whatever else asks
    assistant = 2,  ///< the model itself
    tool = 3,       ///< the result of a tool call
};

[[nodiscard]] std::string_view word_of(chat_role role) noexcept;

/// A model's wish that a tool be called.
struct tool_call {
    std::string id;       ///< made by the model; unique in its conversation, not empty
    std::string name;     ///< of the tool
    json_text arguments;  ///< an object; what a model wrote that is none is in `{"value": ...}`

    friend bool operator==(const tool_call&, const tool_call&) = default;
};

/// One message of a conversation. Each call of an assistant's message has its result in a `tool` message
/// behind it, before anything else is said: a provider refuses a conversation in which one is missing.
struct chat_message {
    chat_role role = chat_role::user;
    std::string text;    ///< may be empty for an assistant that only calls tools
    std::string name{};  ///< who of several people speaks; empty: not said

    // of an assistant
    std::vector<tool_call> calls{};
    std::string thinking{};  ///< what it thought before it spoke; empty: nothing is known of it
    std::string thinking_signature{};  ///< the provider's seal of its thinking; sent back unchanged

    // of a tool
    std::string call_id{};  ///< whose result it is
    bool is_error = false;  ///< the text says what went wrong

    friend bool operator==(const chat_message&, const chat_message&) = default;
};

/// A tool as a model is told of it.
struct tool_definition {
    std::string name;  ///< `[a-zA-Z0-9_-]{1,64}`
    std::string description;
    json_text parameters;  ///< a JSON schema of an object

    friend bool operator==(const tool_definition&, const tool_definition&) = default;
};

}  // namespace convene
