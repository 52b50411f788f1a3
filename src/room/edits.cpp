// SPDX-License-Identifier: Apache-2.0
// Edits and soft deletes: R13.
#include "room/edits.hpp"

#include <optional>

namespace convene {

namespace {

bool is_the_system(const event_source& source) noexcept {
    return source.channel.empty() && source.participant.empty();
}

bool is_author(const room_context& context, const event_source& actor, const event_source& author) {
    if (!actor.participant.empty() && !author.participant.empty()) {
        return actor.participant == author.participant;
    }
    if (actor.channel != author.channel) {
        return false;
    }
    if (!actor.external_id.empty() || !author.external_id.empty()) {
        return actor.external_id == author.external_id;
    }
    const binding* shared = context.find_binding(actor.channel);
    return is_the_system(actor) ||
           (shared != nullptr && shared->kind == channel_kind::intelligence);
}

bool is_owner(const room_context& context, const event_source& actor) noexcept {
    const participant* who = context.find_participant(actor.participant);
    return who != nullptr && who->role == participant_role::owner &&
           who->status == participant_status::active;
}

/// What the actor is to the target. None of it comes from the change itself.
struct standing {
    bool is_author;
    bool is_owner;
    bool is_system;
};

bool may_edit(const standing& actor, std::optional<edit_origin> claimed) noexcept {
    if (!claimed) {
        return actor.is_author;
    }
    switch (*claimed) {
        case edit_origin::sender:
            return actor.is_author || actor.is_owner || actor.is_system;
        case edit_origin::system:
            return actor.is_system;
    }
    return false;
}

bool may_delete(const standing& actor, std::optional<delete_kind> claimed) noexcept {
    if (!claimed) {
        return actor.is_author;
    }
    switch (*claimed) {
        case delete_kind::sender:
            return actor.is_author || actor.is_system;
        case delete_kind::admin:
            return actor.is_owner || actor.is_system;
        case delete_kind::system:
            return actor.is_system;
    }
    return false;
}

bool has_claimed_right(
    const room_context& context, const room_event& change, const room_event& target
) {
    const standing actor{
        is_author(context, change.source, target.source),
        is_owner(context, change.source),
        is_the_system(change.source),
    };
    return change.type == event_type::edit ? may_edit(actor, change.content.edit_source())
                                           : may_delete(actor, change.content.delete_type());
}

}  // namespace

bool fits_type(const content& what, event_type type) noexcept {
    switch (type) {
        case event_type::edit:
            return what.type() == content_type::edit;
        case event_type::remove:
            return what.type() == content_type::delete_;
        default:
            return what.type() != content_type::edit && what.type() != content_type::delete_;
    }
}

ops::target_change change_of(const room_event& event) {
    return {event.content.target_event().value_or(event_id{}), event.content.new_content()};
}

std::variant<refusal, permitted_change> authorize_change(
    const gate_facts& facts, const room_event& change
) {
    const ops::target_change wanted = change_of(change);
    // Without new content an edit would be taken for a deletion.
    if (change.type == event_type::edit && !wanted.new_content) {
        return refusal{errc::invalid_argument, "content.new_content"};
    }
    const room_event* target = facts.find_accepted(wanted.target);
    if (target == nullptr) {
        return refusal{errc::target_event_not_found, "target_not_in_room"};
    }
    if (is_change(target->type)) {
        return refusal{errc::invalid_argument, "content.target_event_id"};
    }
    if (!has_claimed_right(*facts.context, change, *target)) {
        return refusal{errc::not_authorized, "claimed_right_not_held"};
    }
    if (change.type == event_type::edit && facts.is_deleted(*target)) {
        return refusal{errc::target_event_not_found, "target_deleted"};
    }
    return permitted_change{target};
}

}  // namespace convene
