// SPDX-License-Identifier: Apache-2.0
// A small room for tests of decisions: two people, two agents, and what was read under the lock.
#pragma once

#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "room/gate_facts.hpp"
#include "room/proposal.hpp"

namespace convene {

/// Channels `sms` (Ann, an owner) and `web` (Bob, a member); agents `helper` and `critic`.
class scene {
   public:
    scene() {
        context.room.id = room_id{"room"};
        context.room.organization = organization_id{"acme"};
        context.bindings = {
            bind("critic", channel_kind::intelligence),
            bind("helper", channel_kind::intelligence),
            bind("sms", channel_kind::transport),
            bind("web", channel_kind::transport),
        };
        context.participants = {
            join("ann", participant_role::owner),
            join("bob", participant_role::member),
        };
    }

    [[nodiscard]] binding& at(std::string_view channel) {
        for (binding& one : context.bindings) {
            if (one.channel.str() == channel) {
                return one;
            }
        }
        std::abort();
    }

    [[nodiscard]] gate_facts facts() const { return {&context, &hits, &referenced, &earlier}; }

    room_context context;
    std::vector<ops::key_hit> hits;
    std::vector<room_event> referenced;
    std::vector<room_event> earlier;

   private:
    [[nodiscard]] binding bind(std::string channel, channel_kind kind) const {
        binding made;
        made.room = context.room.id;
        made.channel = channel_id{std::move(channel)};
        made.kind = kind;
        return made;
    }

    [[nodiscard]] participant join(std::string id, participant_role role) const {
        participant made;
        made.room = context.room.id;
        made.id = participant_id{std::move(id)};
        made.role = role;
        return made;
    }
};

/// What somebody says through a channel. An agent has no participant.
[[nodiscard]] inline room_event said(
    std::string id, std::string channel, std::string participant = {}
) {
    room_event event;
    event.id = event_id{std::move(id)};
    event.room = room_id{"room"};
    event.content = content::text("hello");
    event.source.channel = channel_id{std::move(channel)};
    event.source.participant = participant_id{std::move(participant)};
    return event;
}

[[nodiscard]] inline room_event said_by_ann(std::string id) {
    return said(std::move(id), "sms", "ann");
}

[[nodiscard]] inline room_event said_by_bob(std::string id) {
    return said(std::move(id), "web", "bob");
}

[[nodiscard]] inline room_event said_by_the_system(std::string id) {
    return said(std::move(id), "");
}

/// Turns what was said into an edit of another event.
[[nodiscard]] inline room_event as_edit(
    room_event event, std::string_view target, edit_origin origin = edit_origin::sender
) {
    event.type = event_type::edit;
    event.content = content::edit(event_id{std::string{target}}, content::text("better"), origin);
    return event;
}

[[nodiscard]] inline room_event as_deletion(
    room_event event, std::string_view target, delete_kind kind = delete_kind::sender
) {
    event.type = event_type::remove;
    event.content = content::remove(event_id{std::string{target}}, kind);
    return event;
}

[[nodiscard]] inline proposal proposed(room_event event, origin from = origin::sent) {
    proposal made;
    made.event = std::move(event);
    made.from = from;
    return made;
}

[[nodiscard]] inline std::vector<channel_id> list_of(std::initializer_list<const char*> names) {
    std::vector<channel_id> made;
    for (const char* name : names) {
        made.emplace_back(name);
    }
    return made;
}

}  // namespace convene
