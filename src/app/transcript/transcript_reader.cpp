// SPDX-License-Identifier: Apache-2.0
// Transcript reader: pages of events, their references, their positions.
#include "app/transcript/transcript_reader.hpp"

#include <algorithm>
#include <utility>

#include "app/deleted_text.hpp"
#include "app/room_lookup.hpp"
#include "room/edits.hpp"
#include "room/permissions.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 500;

std::string speaker_of(const event_source& source) {
    if (!source.participant.empty()) {
        return source.participant.str();
    }
    return source.external_id.empty() ? source.channel.str() : source.external_id;
}

event_id target_of(const room_event& change) {
    return change.content.target_event().value_or(event_id{});
}

}  // namespace

transcript_reader::transcript_reader(conversation_store* store, room_context context)
    : store_(*store), context_(std::move(context)) {}

transcript_room transcript_reader::heading() const {
    transcript_room heading;
    heading.name = name_of(context_.room);
    heading.status = context_.room.status;
    heading.metadata = context_.room.metadata;
    heading.participants = context_.participants;
    return heading;
}

awaitable<result<std::vector<transcript_event>>> transcript_reader::next_page() {
    std::vector<transcript_event> events;
    // Ends: every turn reads further, and the first that finds nothing more, or something, is the last.
    while (events.empty()) {
        ops::list_events request;
        request.organization = context_.room.organization;
        request.room = context_.room.id;
        request.after = last_;
        request.limit = page_size;
        auto page = co_await store_.run(std::move(request));
        if (!page) {
            co_return page.error();
        }
        if (page->empty()) {
            break;
        }
        const result<> hidden = co_await hide_deleted(&store_, context_.room.id, &*page);
        if (!hidden) {
            co_return hidden.error();
        }
        const auto known = co_await load_references(&*page);
        if (!known) {
            co_return known.error();
        }
        for (const room_event& event : *page) {
            leave_out(last_.next(), event.index);
            last_ = event.index;
            std::optional<transcript_event> converted = convert(event, *known);
            if (converted) {
                events.push_back(std::move(*converted));
            } else {
                leave_out(event.index, event.index.next());
            }
        }
    }
    co_return events;
}

awaitable<result<room_event>> transcript_reader::event_at(event_index position) {
    if (position < event_index{0}) {
        co_return errc::target_event_not_found;
    }
    const event_index index = index_of(position);
    ops::list_events request;
    request.organization = context_.room.organization;
    request.room = context_.room.id;
    request.after = index.previous();
    request.limit = 1;
    auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    if (found->empty() || found->front().index != index) {
        co_return errc::target_event_not_found;
    }
    co_return std::move(found->front());
}

awaitable<result<transcript_reader::references>> transcript_reader::load_references(
    const std::vector<room_event>* page
) {
    ops::find_events request;
    request.room = context_.room.id;
    for (const room_event& event : *page) {
        if (!event.parent.empty()) {
            request.ids.push_back(event.parent);
        }
        if (is_change(event.type)) {
            request.ids.push_back(target_of(event));
        }
    }
    references known;
    if (request.ids.empty()) {
        co_return known;
    }
    auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    for (room_event& event : *found) {
        std::string id = event.id.str();
        known.insert_or_assign(std::move(id), std::move(event));
    }
    co_return known;
}

std::optional<transcript_event> transcript_reader::convert(
    const room_event& event, const references& known
) const {
    std::optional<content> said = content_of(event, known);
    if (event.status == event_status::blocked || !said) {
        return std::nullopt;
    }
    transcript_event converted;
    converted.position = position_of(event.index);
    converted.speaker = speaker_of(event.source);
    converted.type = event.type;
    converted.content = std::move(*said);
    const auto parent = known.find(event.parent.str());
    if (parent != known.end()) {
        converted.parent = position_of(parent->second.index);
    }
    // What a binding adds to an event's own visibility would be lost with the binding.
    converted.visibility = effective_visibility(context_, event);
    converted.addressed_to = event.addressed_to;
    converted.response_visibility = event.response_visibility;
    converted.correlation_id = event.correlation_id;
    converted.metadata = event.metadata;
    converted.is_edited = event.is_edited;
    converted.is_deleted = event.is_deleted;
    return converted;
}

std::optional<content> transcript_reader::content_of(
    const room_event& event, const references& known
) const {
    if (!is_change(event.type) || event.is_deleted) {
        return event.content;
    }
    const auto target = known.find(target_of(event).str());
    if (target == known.end()) {
        return std::nullopt;
    }
    const event_index position = position_of(target->second.index);
    return with_target(event.content, std::to_string(position.value()));
}

void transcript_reader::leave_out(event_index from, event_index to) {
    for (event_index index = from; index < to; index = index.next()) {
        left_out_.push_back(index);
    }
}

event_index transcript_reader::position_of(event_index index) const {
    const auto before = std::ranges::lower_bound(left_out_, index) - left_out_.begin();
    return event_index{index.value() - before};
}

event_index transcript_reader::index_of(event_index position) const {
    event_index index = position;
    for (const event_index left_out : left_out_) {
        if (left_out > index) {
            break;
        }
        index = index.next();
    }
    return index;
}

}  // namespace convene
