// SPDX-License-Identifier: Apache-2.0
// Transcript reader: pages of events, their references, their positions.
#include "app/transcript/transcript_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

transcript_reader::transcript_reader(conversation_reader* reader, room_context context)
    : reader_(*reader), context_(std::move(context)) {}

transcript_room transcript_reader::heading() const {
    transcript_room heading;
    heading.name = name_of(context_.room);
    heading.status = context_.room.status;
    heading.metadata = context_.room.metadata;
    heading.participants = context_.participants;
    return heading;
}

awaitable<outcome<std::vector<transcript_event>>> transcript_reader::next_page() {
    std::vector<transcript_event> events;
    // Ends: every turn reads further, and the first that finds nothing more, or something, is the last.
    std::optional<event_index> after{last_};
    while (events.empty() && after) {
        const auto page = co_await reader_.list_events(context_.room.id, *after, page_size);
        if (!page) {
            co_return page.error();
        }
        after = page->next_after;
        const auto known = co_await load_references(&page->events);
        if (!known) {
            co_return known.error();
        }
        for (const room_event& event : page->events) {
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

awaitable<outcome<room_event>> transcript_reader::event_at(event_index position) {
    const event_index index = index_of(position);
    if (position >= event_index{0}) {
        auto page = co_await reader_.list_events(context_.room.id, index.previous(), 1);
        if (!page) {
            co_return page.error();
        }
        if (!page->events.empty() && page->events.front().index == index) {
            co_return std::move(page->events.front());
        }
    }
    failure missing{
        exit_code::refused,
        fmt::format("the room has no event {} to refer to", position.value()),
        {}
    };
    missing.reason = name_of(errc::target_event_not_found);
    co_return missing;
}

awaitable<outcome<index_map>> transcript_reader::load_references(const std::vector<room_event>* page
) {
    std::vector<event_id> wanted;
    for (const room_event& event : *page) {
        if (!event.parent.empty()) {
            wanted.push_back(event.parent);
        }
        const event_id target = target_of(event);
        if (is_change(event.type) && !target.empty()) {
            wanted.push_back(target);
        }
    }
    auto known = co_await reader_.find_indexes(context_.room.id, std::move(wanted));
    co_return known;
}

std::optional<transcript_event> transcript_reader::convert(
    const room_event& event, const index_map& known
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
        converted.parent = position_of(parent->second);
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
    const room_event& event, const index_map& known
) const {
    if (!is_change(event.type) || event.is_deleted) {
        return event.content;
    }
    const auto target = known.find(target_of(event).str());
    if (target == known.end()) {
        return std::nullopt;
    }
    const event_index position = position_of(target->second);
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
