// SPDX-License-Identifier: Apache-2.0
// Decider rules: by name, by role, or by taking part.
#include "store/decider_rules.hpp"

#include <algorithm>

namespace convene {

namespace {

constexpr std::string_view role_prefix = "role:";

bool sees_every_room(const decider& who) {
    return who.user.empty() || includes(who.role, user_role::operator_);
}

/// Null: they take no part in the room, or not any more.
const participant* find_self(const decider& who, const room_context& around) {
    const participant* const self = around.find_participant(participant_id{who.user});
    return self != nullptr && self->status == participant_status::active ? self : nullptr;
}

bool is_named(const decider& who, std::string_view name) {
    if (!name.starts_with(role_prefix)) {
        return !who.user.empty() && who.user == name;
    }
    const auto role = user_role_of(name.substr(role_prefix.size()));
    return role && includes(who.role, *role);
}

bool may_write(const decider& who, const room_context& around) {
    const participant* const self = find_self(who, around);
    const binding* const through = around.find_binding(channel_of_user(around, who.user));
    return self != nullptr && self->role != participant_role::observer && through != nullptr &&
           !through->is_muted && can_write(through->access);
}

}  // namespace

const channel_id& people_channel() {
    static const channel_id web{"web"};
    return web;
}

channel_id channel_of_user(const room_context& around, std::string_view user) {
    const auto own = std::ranges::find_if(around.bindings, [user](const binding& bound) {
        return !user.empty() && bound.participant.str() == user;
    });
    return own == around.bindings.end() ? people_channel() : own->channel;
}

bool may_decide(const decider& who, const room_context& around, const approval& asked) {
    if (!sees_every_room(who) && find_self(who, around) == nullptr) {
        return false;
    }
    if (asked.deciders.empty()) {
        return sees_every_room(who) || may_write(who, around);
    }
    return std::ranges::any_of(asked.deciders, [&who](const std::string& name) {
        return is_named(who, name);
    });
}

}  // namespace convene
