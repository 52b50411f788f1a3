// SPDX-License-Identifier: Apache-2.0
// The predicates behind filtered reads and unread counts.
#include "store/memory/event_rules.hpp"

#include <algorithm>

namespace convene {

namespace {

bool names(const std::vector<event_type>& types, event_type type) {
    return std::ranges::find(types, type) != types.end();
}

bool type_passes(event_type type, const ops::event_filter& filter) {
    const bool is_wanted = filter.types.empty() || names(filter.types, type);
    return is_wanted && !names(filter.excluded_types, type);
}

/// An empty wish is no wish.
template <class T>
bool matches(const T& wanted, const T& value) {
    return wanted.empty() || wanted == value;
}

bool source_passes(const event_source& source, const ops::event_filter& filter) {
    return matches(filter.channel, source.channel) &&
           matches(filter.channel_type, source.channel_type) &&
           matches(filter.participant, source.participant);
}

bool thread_passes(const room_event& event, const ops::event_filter& filter) {
    return matches(filter.correlation_id, event.correlation_id) &&
           matches(filter.parent, event.parent) && (!filter.top_level_only || event.parent.empty());
}

bool time_passes(wall_time at, const ops::event_filter& filter) {
    return (!filter.after_time || at > *filter.after_time) &&
           (!filter.before_time || at < *filter.before_time);
}

bool is_seen_by(const visibility& who, const std::vector<channel_id>& channels) {
    switch (who.kind()) {
        case visibility::scope::all:
        case visibility::scope::transport:
            return true;
        case visibility::scope::channels:
            return std::ranges::find_first_of(who.channels(), channels) != who.channels().end();
        case visibility::scope::none:
        case visibility::scope::intelligence:
        case visibility::scope::internal:
            return false;
    }
    return false;
}

}  // namespace

bool passes(const room_event& event, const ops::event_filter& filter) {
    const bool status_passes = !filter.status || event.status == *filter.status;
    const bool visibility_passes = !filter.visibility ||
                                   event.visibility.text() == *filter.visibility;
    return status_passes && visibility_passes && type_passes(event.type, filter) &&
           source_passes(event.source, filter) && thread_passes(event, filter) &&
           time_passes(event.created_at, filter);
}

bool is_shown(const room_event& event) {
    return event.status == event_status::accepted && !event.is_deleted;
}

bool is_unread_for(const room_event& event, const ops::count_unread& request) {
    const bool is_by_another = event.source.participant.str() != request.reader;
    const bool is_in_thread = request.thread.empty() || event.parent.str() == request.thread;
    return event.type == event_type::message && is_shown(event) && is_by_another && is_in_thread &&
           is_seen_by(event.visibility, request.channels);
}

}  // namespace convene
