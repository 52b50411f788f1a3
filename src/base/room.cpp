// SPDX-License-Identifier: Apache-2.0
// Rooms: the words of their enumerators, and looking things up in a room's context.
#include "convene/room.hpp"

#include <algorithm>

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(room_status status) noexcept {
    switch (status) {
        using enum room_status;
        case active:
            return "active";
        case paused:
            return "paused";
        case closed:
            return "closed";
        case archived:
            return "archived";
    }
    return {};
}

std::optional<room_status> room_status_from(std::string_view word) noexcept {
    return enumerator_of(word, room_status::active);
}

std::string_view word_of(channel_kind kind) noexcept {
    switch (kind) {
        using enum channel_kind;
        case transport:
            return "transport";
        case intelligence:
            return "intelligence";
    }
    return {};
}

std::optional<channel_kind> channel_kind_from(std::string_view word) noexcept {
    return enumerator_of(word, channel_kind::transport);
}

std::string_view word_of(access value) noexcept {
    switch (value) {
        using enum access;
        case read_write:
            return "read_write";
        case read_only:
            return "read_only";
        case write_only:
            return "write_only";
        case none:
            return "none";
    }
    return {};
}

std::optional<access> access_from(std::string_view word) noexcept {
    return enumerator_of(word, access::read_write);
}

std::string_view word_of(participant_role role) noexcept {
    switch (role) {
        using enum participant_role;
        case member:
            return "member";
        case owner:
            return "owner";
        case agent:
            return "agent";
        case observer:
            return "observer";
        case bot:
            return "bot";
    }
    return {};
}

std::optional<participant_role> participant_role_from(std::string_view word) noexcept {
    return enumerator_of(word, participant_role::member);
}

std::string_view word_of(participant_status status) noexcept {
    switch (status) {
        using enum participant_status;
        case active:
            return "active";
        case inactive:
            return "inactive";
        case left:
            return "left";
        case banned:
            return "banned";
    }
    return {};
}

std::optional<participant_status> participant_status_from(std::string_view word) noexcept {
    return enumerator_of(word, participant_status::active);
}

std::string_view word_of(task_status status) noexcept {
    switch (status) {
        using enum task_status;
        case pending:
            return "pending";
        case in_progress:
            return "in_progress";
        case completed:
            return "completed";
        case failed:
            return "failed";
        case cancelled:
            return "cancelled";
    }
    return {};
}

std::optional<task_status> task_status_from(std::string_view word) noexcept {
    return enumerator_of(word, task_status::pending);
}

const binding* room_context::find_binding(const channel_id& channel) const noexcept {
    const auto found = std::ranges::find(bindings, channel, &binding::channel);
    return found == bindings.end() ? nullptr : &*found;
}

const participant* room_context::find_participant(const participant_id& id) const noexcept {
    const auto found = std::ranges::find(participants, id, &participant::id);
    return found == participants.end() ? nullptr : &*found;
}

}  // namespace convene
