// SPDX-License-Identifier: Apache-2.0
// Room access: seeing and managing.
#include "http/room_access.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/json_writer.hpp"
#include "room/permissions.hpp"
#include "store/decider_rules.hpp"

namespace convene {

namespace {

const participant* find_self(const principal& who, const room_context& around) {
    if (!who.is_user()) {
        return nullptr;
    }
    const participant* const self = around.find_participant(participant_id{who.user});
    return self != nullptr && self->status == participant_status::active ? self : nullptr;
}

/// The binding a member reads through: one that is not there reads like any transport.
binding reader_of(const principal& who, const room_context& around) {
    const channel_id channel = channel_of(who, around);
    const binding* const bound = around.find_binding(channel);
    if (bound != nullptr) {
        return *bound;
    }
    binding reader;
    reader.channel = channel;
    return reader;
}

/// What an edit changed stays known: readers tell by it which edits went with the message.
void turn_into_tombstone(room_event* event) {
    json_text data;
    if (const auto target = event->content.target_event(); event->type == event_type::edit) {
        json_writer out;
        out.begin_object();
        out.key("target_event_id").string(target.value_or(event_id{}).str());
        out.end_object();
        data = out.take();
    }
    event->content = content::system("[Message deleted]", "message_deleted", data);
    event->metadata = json_text{};
    event->is_deleted = true;
}

/// The targets of the edits among some events.
std::vector<event_id> edited_by(const std::vector<room_event>& events) {
    std::vector<event_id> targets;
    for (const room_event& event : events) {
        if (event.type == event_type::edit) {
            targets.push_back(event.content.target_event().value_or(event_id{}));
        }
    }
    return targets;
}

}  // namespace

const channel_id& web_channel() { return people_channel(); }

bool may_see_room(const principal& who, const room_context& around) {
    return who.sees_every_room() || find_self(who, around) != nullptr;
}

awaitable<or_problem<room_context>> read_seen_room(room_kit* kit, principal who, room_id room) {
    auto around = co_await kit->get_room(who.organization, std::move(room));
    if (!around) {
        co_return problem_of(around.error());
    }
    if (!may_see_room(who, *around)) {
        co_return not_found_problem();
    }
    co_return *std::move(around);
}

bool is_room_owner(const principal& who, const room_context& around) {
    const participant* const self = find_self(who, around);
    return self != nullptr && self->role == participant_role::owner;
}

bool may_manage_room(const principal& who, const room_context& around) {
    return who.sees_every_room() || is_room_owner(who, around);
}

channel_id channel_of(const principal& who, const room_context& around) {
    return channel_of_user(around, who.user);
}

bool may_see_event(const principal& who, const room_context& around, const room_event& event) {
    if (who.sees_every_room()) {
        return true;
    }
    if (event.status == event_status::blocked) {
        return false;
    }
    if (event.source.participant.str() == who.user) {
        return true;
    }
    // People share the web channel: what another one wrote there is not the reader's own, as it would be for a
    // channel that is one reader.
    binding reader = reader_of(who, around);
    if (event.source.channel != reader.channel) {
        return is_visible_to(around, event, reader);
    }
    const visibility& wanted = effective_visibility(around, event);
    switch (wanted.kind()) {
        case visibility::scope::all:
        case visibility::scope::transport:
            return can_read(reader.access);
        case visibility::scope::channels:
            return can_read(reader.access) &&
                   std::ranges::find(wanted.channels(), reader.channel) != wanted.channels().end();
        default:
            return false;
    }
}

room_event shown_event(room_event event) {
    if (event.is_deleted) {
        turn_into_tombstone(&event);
    }
    return event;
}

awaitable<result<std::vector<room_event>>> visible_events(
    conversation_store* store, principal who, room_context around, std::vector<room_event> events
) {
    std::erase_if(events, [&](const room_event& event) {
        return !may_see_event(who, around, event);
    });
    ops::find_events look_up{around.room.id, edited_by(events)};
    std::unordered_set<event_id> standing;
    if (!look_up.ids.empty()) {
        const auto targets = co_await store->run(std::move(look_up));
        if (!targets) {
            co_return targets.error();
        }
        for (const room_event& target : *targets) {
            if (!target.is_deleted) {
                standing.insert(target.id);
            }
        }
    }
    for (room_event& event : events) {
        const bool is_edit = event.type == event_type::edit &&
                             event.status == event_status::accepted;
        const bool shows_deleted = is_edit && !standing.contains(
                                                  event.content.target_event().value_or(event_id{})
                                              );
        if (event.is_deleted || shows_deleted) {
            turn_into_tombstone(&event);
        }
    }
    co_return events;
}

}  // namespace convene
