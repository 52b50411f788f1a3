// SPDX-License-Identifier: Apache-2.0
// Stored feed: waiting for a change, then a page of what is new.
#include "app/local/stored_feed.hpp"

#include <utility>

namespace convene {

namespace {

constexpr std::size_t page_size = 256;

/// Between two looks at the files' times; and how long these are trusted.
constexpr std::chrono::milliseconds between_looks{50};
constexpr std::chrono::milliseconds trust_in_files{1000};

/// A server is asked.
constexpr std::chrono::milliseconds between_questions{200};

}  // namespace

stored_feed::stored_feed(
    conversation_reader& reader,
    const database_place& place,
    const room& followed,
    event_index after
)
    : reader_(reader),
      room_(followed.id),
      epoch_(followed.timeline_epoch),
      longest_trust_(place.is_on_server() ? between_questions : trust_in_files),
      watch_(place.file),
      last_(after) {}

awaitable<outcome<std::vector<room_event>>> stored_feed::next() {
    for (;;) {
        if (has_looked_) {
            const result<> changed = co_await until_changed();
            if (!changed) {
                co_return store_failure(changed.error(), "following the room");
            }
        }
        const auto intact = co_await check_not_repaired();
        if (!intact) {
            co_return intact.error();
        }
        auto page = co_await reader_.list_events(room_, last_, page_size);
        if (!page) {
            co_return page.error();
        }
        has_looked_ = !page->next_after;
        if (!page->events.empty()) {
            last_ = page->events.back().index;
            co_return std::move(page->events);
        }
    }
}

/// Returns when the database may have something new.
awaitable<result<>> stored_feed::until_changed() {
    const coroutine_context context = co_await this_context();
    const monotonic_time look_anyway = context.where->now() + longest_trust_;
    while (!watch_.has_changed() && context.where->now() < look_anyway) {
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return slept;
        }
    }
    co_return result<>{};
}

/// A repair gives indexes a new meaning: what was shown can't be continued.
awaitable<outcome<>> stored_feed::check_not_repaired() {
    const auto now = co_await reader_.get_room(room_);
    if (!now) {
        co_return now.error();
    }
    if (now->room.timeline_epoch != epoch_) {
        co_return room_was_repaired();
    }
    co_return outcome<>{};
}

}  // namespace convene
