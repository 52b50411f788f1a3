// SPDX-License-Identifier: Apache-2.0
// Events: the words of their enumerators.
#include "convene/event.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(event_type type) noexcept {
    switch (type) {
        using enum event_type;
        case message:
            return "message";
        case system:
            return "system";
        case edit:
            return "edit";
        case remove:
            return "delete";
        case reaction:
            return "reaction";
        case tool_call_start:
            return "tool_call_start";
        case tool_call_end:
            return "tool_call_end";
        case participant_joined:
            return "participant_joined";
        case participant_left:
            return "participant_left";
        case channel_attached:
            return "channel_attached";
        case channel_detached:
            return "channel_detached";
        case task_created:
            return "task_created";
        case observation:
            return "observation";
        case custom:
            return "custom";
    }
    return {};
}

std::optional<event_type> event_type_from(std::string_view word) noexcept {
    return enumerator_of(word, event_type::message);
}

std::string_view word_of(event_status status) noexcept {
    switch (status) {
        using enum event_status;
        case accepted:
            return "accepted";
        case blocked:
            return "blocked";
    }
    return {};
}

}  // namespace convene
