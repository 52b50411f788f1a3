// SPDX-License-Identifier: Apache-2.0
// Permissions, R10: the rules of writing, seeing and history.
#include "room/permissions.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "room/blocking.hpp"

namespace convene {

namespace {

/// The rule that keeps the event's source from writing, or null.
const block_rule* find_write_refusal(
    const room_context& context, const room_event& event
) noexcept {
    if (event.source.channel.empty()) {
        return nullptr;
    }
    const binding* source = context.find_binding(event.source.channel);
    if (source == nullptr) {
        return &block_rules::source_not_bound;
    }
    if (source->is_muted) {
        return &block_rules::source_muted;
    }
    return can_write(source->access) ? nullptr : &block_rules::source_read_only;
}

bool admits(const visibility& who, const binding& reader) noexcept {
    switch (who.kind()) {
        case visibility::scope::all:
            return true;
        case visibility::scope::transport:
            return reader.kind == channel_kind::transport;
        case visibility::scope::intelligence:
            return reader.kind == channel_kind::intelligence;
        case visibility::scope::channels:
            return std::ranges::find(who.channels(), reader.channel) != who.channels().end();
        case visibility::scope::none:
        case visibility::scope::internal:
            return false;
    }
    return false;
}

using event_ids = std::unordered_set<event_id>;

event_ids find_deleted(const std::vector<room_event>& events) {
    event_ids deleted;
    for (const room_event& event : events) {
        if (event.is_deleted) {
            deleted.insert(event.id);
        }
        if (event.type == event_type::remove && event.status == event_status::accepted) {
            deleted.insert(event.content.target_event().value_or(event_id{}));
        }
    }
    return deleted;
}

bool shows_deleted_text(const room_event& event, const event_ids& deleted) {
    if (event.type == event_type::edit) {
        return deleted.contains(event.content.target_event().value_or(event_id{}));
    }
    return deleted.contains(event.id);
}

void turn_into_tombstone(room_event* event) {
    event->content = content::system("[Message deleted]", "message_deleted");
    event->metadata = json_text{};
    event->is_deleted = true;
}

}  // namespace

void apply_write_permission(const room_context& context, room_event* event) {
    if (event->status == event_status::blocked) {
        return;
    }
    const block_rule* refusal = find_write_refusal(context, *event);
    if (refusal != nullptr) {
        block(event, *refusal);
    }
}

const visibility& effective_visibility(
    const room_context& context, const room_event& event
) noexcept {
    if (event.visibility.kind() != visibility::scope::all) {
        return event.visibility;
    }
    const binding* source = context.find_binding(event.source.channel);
    return source != nullptr ? source->visibility : event.visibility;
}

bool is_visible_to(
    const room_context& context, const room_event& event, const binding& reader
) noexcept {
    if (event.status == event_status::blocked) {
        return false;
    }
    if (event.source.channel == reader.channel) {
        return true;
    }
    return can_read(reader.access) && admits(effective_visibility(context, event), reader);
}

std::vector<room_event> visible_history(
    const room_context& context, const binding& reader, std::vector<room_event> events
) {
    const event_ids deleted = find_deleted(events);
    std::erase_if(events, [&](const room_event& event) {
        return !is_visible_to(context, event, reader);
    });
    for (room_event& event : events) {
        if (shows_deleted_text(event, deleted)) {
            turn_into_tombstone(&event);
        }
    }
    return events;
}

}  // namespace convene
