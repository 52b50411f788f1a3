// SPDX-License-Identifier: Apache-2.0
// Words of a conversation with a model, as they reach records and the wire.
#include "convene/chat.hpp"

#include "convene/chat_model.hpp"

namespace convene {

std::string_view word_of(chat_role role) noexcept {
    switch (role) {
        using enum chat_role;
        case user:
            return "user";
        case assistant:
            return "assistant";
        case tool:
            return "tool";
    }
    return {};
}

std::string_view word_of(finish_reason reason) noexcept {
    switch (reason) {
        using enum finish_reason;
        case stop:
            return "stop";
        case tool_calls:
            return "tool_calls";
        case length:
            return "length";
        case refused:
            return "refused";
    }
    return {};
}

}  // namespace convene
