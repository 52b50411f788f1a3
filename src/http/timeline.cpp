// SPDX-License-Identifier: Apache-2.0
// Reading pages of a timeline.
#include "http/timeline.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "http/room_access.hpp"

namespace convene {

namespace {

/// Of pages without anything to see; then the caller asks on.
constexpr int max_rounds = 20;

enum class direction { forwards, backwards };

direction direction_of(const ops::list_events& request) {
    return request.before || request.newest_first ? direction::backwards : direction::forwards;
}

void go_on_behind(ops::list_events* request, const std::vector<room_event>& read) {
    if (direction_of(*request) == direction::forwards) {
        request->after = read.back().index;
    } else {
        request->before = read.front().index;
        request->newest_first = false;
    }
}

void put_in(timeline_page* page, std::vector<room_event> seen, direction way) {
    const auto at = way == direction::forwards ? page->events.end() : page->events.begin();
    page->events.insert(
        at, std::make_move_iterator(seen.begin()), std::make_move_iterator(seen.end())
    );
}

/// Takes off what is too much, so that the next page has it.
void trim(timeline_page* page, std::size_t limit, direction way) {
    if (page->events.size() <= limit) {
        return;
    }
    if (way == direction::forwards) {
        page->events.resize(limit);
        page->next_index = page->events.back().index.value();
    } else {
        const auto surplus = static_cast<std::ptrdiff_t>(page->events.size() - limit);
        page->events.erase(page->events.begin(), page->events.begin() + surplus);
        page->next_index = page->events.front().index.value();
    }
}

}  // namespace

awaitable<result<timeline_page>> read_timeline(
    conversation_store* store, principal who, room_context around, ops::list_events request
) {
    const direction way = direction_of(request);
    const std::size_t limit = request.limit;
    timeline_page page;
    for (int round = 0; round < max_rounds && page.events.size() <= limit; ++round) {
        ops::list_events next = request;
        next.limit = limit + 1 - page.events.size();
        const std::size_t asked = next.limit;
        const auto read = co_await store->run(std::move(next));
        if (!read) {
            co_return read.error();
        }
        if (!read->empty()) {
            go_on_behind(&request, *read);
            page.next_index = way == direction::forwards ? request.after->value()
                                                         : request.before->value();
        }
        const bool is_end = read->size() < asked;
        auto seen = co_await visible_events(store, who, around, *read);
        if (!seen) {
            co_return seen.error();
        }
        put_in(&page, *std::move(seen), way);
        if (is_end) {
            page.next_index.reset();
            break;
        }
    }
    trim(&page, limit, way);
    co_return page;
}

}  // namespace convene
