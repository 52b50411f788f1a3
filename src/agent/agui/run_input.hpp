// SPDX-License-Identifier: Apache-2.0
// What a client asks a run with: the `RunAgentInput` of AG-UI 1.0, read and checked.
#pragma once

#include "convene/boundary.hpp"
#include "convene/chat.hpp"
#include "convene/json_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// A message that is new to the server.
struct new_user_message {
    std::string id;  ///< the client's; the same for a repeat
    std::string text;

    friend bool operator==(const new_user_message&, const new_user_message&) = default;
};

/// The result of a client tool.
struct client_tool_result {
    std::string id;
    std::string call;
    std::string text;
    bool is_error = false;

    friend bool operator==(const client_tool_result&, const client_tool_result&) = default;
};

/// An answer to an interrupt.
struct interrupt_answer {
    std::string interrupt;
    bool is_cancelled = false;
    json_text payload;  ///< any value

    friend bool operator==(const interrupt_answer&, const interrupt_answer&) = default;
};

/// Something that the client tells the agent for this run only.
struct run_context_item {
    std::string description;
    std::string value;

    friend bool operator==(const run_context_item&, const run_context_item&) = default;
};

/// A client sends the whole conversation as it knows it. What counts is what comes after the last message of an assistant:
/// the server has the rest, and its own is the true one. System and developer messages of a client are left aside.
struct run_input {
    std::string thread;
    std::string run;
    std::vector<new_user_message> messages;
    std::vector<client_tool_result> results;
    std::vector<tool_definition> tools;  ///< those the client has
    std::vector<run_context_item> context;
    std::vector<interrupt_answer> answers;
    std::optional<json_text> state;  ///< as the client has it; an object

    friend bool operator==(const run_input&, const run_input&) = default;
};

/// How much of it is taken.
inline constexpr std::size_t most_client_tools = 128;
inline constexpr std::size_t most_context_items = 64;
inline constexpr std::size_t most_answers = 100;

/// Unknown fields are left aside, as AG-UI wants it. Everything else that breaks a rule is refused, by its field.
[[nodiscard]] checked<run_input> parse_run_input(
    std::string_view body, const boundary_limits& limits = {}
);

/// What `parse_run_input` gives back the same: without what it left aside.
[[nodiscard]] json_text write_run_input(const run_input& input);

}  // namespace convene
