// SPDX-License-Identifier: Apache-2.0
// What a model is asked, in short.
#pragma once

#include "convene/chat_model.hpp"

#include <string>
#include <utility>

namespace convene {

inline tool_call call_of(std::string id, std::string name, const char* arguments) {
    return {std::move(id), std::move(name), *json_text::parse(arguments)};
}

inline chat_message said_by(chat_role role, std::string text) {
    chat_message said;
    said.role = role;
    said.text = std::move(text);
    return said;
}

}  // namespace convene
