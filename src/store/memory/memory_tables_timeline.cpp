// SPDX-License-Identifier: Apache-2.0
// The memory tables: reading a timeline, read markers, search, deletion and repair.
#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "store/memory/event_rules.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/metadata.hpp"
#include "store/search_words.hpp"

namespace convene {

namespace {

bool is_contradictory(const ops::list_events& request) {
    const ops::event_filter& filter = request.filter;
    const bool has_both_cursors = request.after && request.before;
    const bool has_parent_of_top_level = filter.top_level_only && !filter.parent.empty();
    const bool is_empty_span = filter.after_time && filter.before_time &&
                               *filter.after_time >= *filter.before_time;
    return has_both_cursors || has_parent_of_top_level || is_empty_span;
}

/// The first `limit` events of a range that pass the filter.
template <class Iterator>
std::vector<room_event> take(Iterator next, Iterator end, const ops::list_events& request) {
    std::vector<room_event> taken;
    for (; next != end && taken.size() < request.limit; ++next) {
        const room_event& event = next->second.event;
        if (passes(event, request.filter)) {
            taken.push_back(event);
        }
    }
    return taken;
}

template <class Iterator>
std::vector<room_event> take_backwards(
    Iterator begin, Iterator end, const ops::list_events& request
) {
    auto taken = take(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), request);
    std::ranges::reverse(taken);
    return taken;
}

ops::thread_summary summarize(const timeline& events, const event_id& root) {
    ops::thread_summary summary;
    summary.root = root;
    for (const event_index index : events.replies_to(root)) {
        const room_event& reply = events.at(index);
        if (is_shown(reply)) {
            ++summary.replies;
            summary.latest_reply = index;
            summary.latest_reply_at = reply.created_at;
        }
    }
    return summary;
}

bool contains_all(const room_event& event, const std::vector<std::string>& words) {
    const std::vector<std::string> text = search_words(readable_text(event.content));
    return std::ranges::all_of(words, [&](const std::string& word) {
        return std::ranges::find(text, word) != text.end();
    });
}

event_index within(const room& info, event_index index) {
    return std::clamp(index, event_index::none(), info.latest_index);
}

}  // namespace

// -- reads ------------------------------------------------------------------------------------

result<room_event> memory_tables::apply(const ops::get_event& request) {
    const room_record* const record = find_room(request.organization, request.room);
    const room_event* const event = record == nullptr ? nullptr : record->events.find(request.id);
    if (event == nullptr) {
        return errc::not_found;
    }
    return *event;
}

result<std::vector<room_event>> memory_tables::apply(const ops::find_events& request) {
    std::vector<room_event> found;
    const room_record* const record = find_room(request.room);
    if (record == nullptr) {
        return found;
    }
    std::set<event_index> indexes;
    for (const event_id& id : request.ids) {
        if (const room_event* const event = record->events.find(id)) {
            indexes.insert(event->index);
        }
    }
    for (const event_index index : indexes) {
        found.push_back(record->events.at(index));
    }
    return found;
}

result<std::vector<room_event>> memory_tables::apply(const ops::list_events& request) {
    if (is_contradictory(request)) {
        return errc::invalid_argument;
    }
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    const timeline::events_by_index& events = record->events.events();
    if (request.after) {
        return take(events.upper_bound(*request.after), events.end(), request);
    }
    if (request.before) {
        return take_backwards(events.begin(), events.lower_bound(*request.before), request);
    }
    if (request.newest_first) {
        return take_backwards(events.begin(), events.end(), request);
    }
    return take(events.begin(), events.end(), request);
}

result<std::vector<ops::thread_summary>> memory_tables::apply(const ops::summarize_threads& request
) {
    std::vector<ops::thread_summary> found;
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return found;
    }
    std::unordered_set<event_id> asked;
    for (const event_id& root : request.roots) {
        ops::thread_summary summary = summarize(record->events, root);
        if (summary.replies > 0 && asked.insert(root).second) {
            found.push_back(std::move(summary));
        }
    }
    return found;
}

result<std::vector<room_event>> memory_tables::apply(const ops::search_events& request) {
    const std::vector<std::string> words = search_words(request.words);
    std::vector<const stored_event*> matching;
    for (const auto& [id, record] : rooms_) {
        const bool is_asked = record.info.organization == request.organization &&
                              (!request.room || id == *request.room);
        if (!is_asked || words.empty()) {
            continue;
        }
        for (const auto& [index, stored] : record.events.events()) {
            if (is_shown(stored.event) && contains_all(stored.event, words)) {
                matching.push_back(&stored);
            }
        }
    }
    std::ranges::sort(matching, std::ranges::greater{}, &stored_event::commit_order);
    matching.resize(std::min(matching.size(), request.limit));
    std::vector<room_event> found;
    found.reserve(matching.size());
    for (const stored_event* const stored : matching) {
        found.push_back(stored->event);
    }
    return found;
}

// -- deletion and repair ----------------------------------------------------------------------

void memory_tables::close_rows_of(const room_id& room, const event_id& event) {
    for (delivery_row& row : rows_.rows_of(room, event)) {
        if (!is_final(row.state) || row.state == delivery_state::deferred) {
            row.state = delivery_state::skipped;
            row.outcome = {};
            row.outcome.error_code = "event_deleted";
            rows_.replace(std::move(row));
        }
    }
}

void memory_tables::erase_event(room_record& record, const event_id& id, wall_time now) {
    const room_id& room = record.info.id;
    room_keys_.mark_deleted(room, id, now);
    inbound_keys_.mark_deleted(room, id, now);
    close_rows_of(room, id);
    channels_.forget_receipts(room, id);
    outbound_.remove_event(room, id);
    attachments_.forget_event(id, now);
    event_ids_.erase(id);
    record.events.erase(id);
}

result<std::vector<event_id>> memory_tables::apply(const ops::delete_event& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr || record->events.find(request.id) == nullptr) {
        return std::vector<event_id>{};
    }
    std::vector<event_id> removed{request.id};
    if (request.cascade) {
        for (const event_index index : record->events.replies_to(request.id)) {
            const event_id& reply = record->events.at(index).id;
            if (reply != request.id) {
                removed.push_back(reply);
            }
        }
    }
    const wall_time now = clock_.now();
    for (const event_id& id : removed) {
        erase_event(*record, id, now);
    }
    settle_cursor(*record);
    return removed;
}

result<ops::dedupe_event_indices::answer> memory_tables::apply(
    const ops::dedupe_event_indices& request
) {
    // Two events with one index can't be stored here: there is never anything to repair.
    return ops::dedupe_event_indices::answer{request.dry_run ? "dry_run" : "noop", 0, 0, true};
}

// -- read markers -----------------------------------------------------------------------------

result<ops::read_marker> memory_tables::apply(const ops::put_read_marker& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    const event_index wanted = within(record->info, request.marker.index);
    const marker_key key{request.marker.thread, request.marker.reader};
    event_index& stored = record->markers.try_emplace(key, event_index::none()).first->second;
    if (request.may_rewind || wanted > stored) {
        stored = wanted;
    }
    return ops::read_marker{request.marker.thread, request.marker.reader, stored};
}

result<std::vector<ops::read_marker>> memory_tables::apply(const ops::list_read_markers& request) {
    std::vector<ops::read_marker> found;
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return found;
    }
    for (const auto& [key, index] : record->markers) {
        const auto& [thread, reader] = key;
        if (request.reader.empty() || reader == request.reader) {
            found.push_back({thread, reader, index});
        }
    }
    return found;
}

result<ops::count_unread::answer> memory_tables::apply(const ops::count_unread& request) {
    ops::count_unread::answer counted;
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return counted;
    }
    const auto marker = record->markers.find({request.thread, request.reader});
    const event_index read = marker == record->markers.end() ? event_index::none() : marker->second;
    const timeline::events_by_index& events = record->events.events();
    for (auto next = events.upper_bound(read); next != events.end(); ++next) {
        const room_event& event = next->second.event;
        if (is_unread_for(event, request)) {
            ++counted.unread;
            counted.mentions += mentions(event.metadata.str(), request.reader) ? 1 : 0;
        }
    }
    return counted;
}

}  // namespace convene
