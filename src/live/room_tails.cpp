// SPDX-License-Identifier: Apache-2.0
// Room tails: what is kept of a watched room, and how a reader catches up with it.
#include "live/room_tails.hpp"

#include <algorithm>
#include <utility>

#include "store/store.hpp"

namespace convene {

namespace {

/// Deletions are rare; a reader that misses so many in one go is told to load again.
constexpr std::size_t most_erased = 64;

/// An event that changes others: what is kept of the room no longer shows them as they are.
bool changes_others(const room_event& event) {
    return event.type == event_type::edit || event.type == event_type::remove;
}

}  // namespace

struct room_tails::watched_room {
    organization_id organization;
    room_id id;
    std::size_t readers = 0;

    std::shared_ptr<const room_context> around;  ///< as last seen
    monotonic_time seen_at{};
    bool is_gone = false;

    event_index latest;
    std::deque<std::shared_ptr<const tail_event>> recent;  ///< ascending, dense, up to `latest`

    std::deque<event_id> erased;
    std::uint64_t erased_ever = 0;  ///< serial number behind the last of `erased`

    wait_flag changed;  ///< notified, never set
};

// ---- room_tails ------------------------------------------------------------------------------------------

room_tails::room_tails(executor& where, conversation_store& store, room_tails_settings with)
    : where_(where), store_(store), settings_(with) {}

room_tails::~room_tails() = default;

awaitable<result<std::unique_ptr<tail_reader>>> room_tails::open(tail_request request) {
    std::shared_ptr<watched_room> room = watch(request.organization, request.room);
    std::unique_ptr<tail_reader> reader{new tail_reader{this, room, std::move(request)}};
    const result<> looked = co_await look_at(room);
    if (!looked) {
        co_return looked.error();
    }
    if (room->is_gone) {
        co_return errc::not_found;
    }
    const result<bool> may_read = co_await reader->check_access();
    if (!may_read) {
        co_return may_read.error();
    }
    if (!*may_read) {
        co_return errc::not_authorized;
    }
    if (!reader->request_.after) {
        reader->position_ = {room->around->room.timeline_epoch, room->latest};
    }
    co_return reader;
}

void room_tails::committed(
    const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
) noexcept {
    const auto found = rooms_.find(around->room.id);
    if (found == rooms_.end()) {
        return;
    }
    add(*found->second, events);
}

/// Takes in what follows, for all readers. What is kept has no holes and ends with the latest: an event that is told when
/// later ones are known (its commit was answered late, and others have looked meanwhile) is left to the store.
void room_tails::add(watched_room& room, const std::vector<room_event>& events) const {
    for (const room_event& event : events) {
        if (event.index > room.latest.next() || changes_others(event)) {
            room.recent.clear();
        }
        if (event.index <= room.latest) {
            continue;
        }
        room.recent.push_back(std::make_shared<const tail_event>(event));
        if (room.recent.size() > settings_.recent_events) {
            room.recent.pop_front();
        }
        room.latest = event.index;
    }
    room.changed.notify_all();
}

void room_tails::erased(const room_id& room, const std::vector<event_id>& events) noexcept {
    const auto found = rooms_.find(room);
    if (found == rooms_.end()) {
        return;
    }
    watched_room& watched = *found->second;
    watched.recent.clear();
    for (const event_id& event : events) {
        watched.erased.push_back(event);
        ++watched.erased_ever;
        if (watched.erased.size() > most_erased) {
            watched.erased.pop_front();
        }
    }
    watched.changed.notify_all();
}

void room_tails::end_all() noexcept {
    is_draining_ = true;
    for (const auto& [id, room] : rooms_) {
        room->changed.notify_all();
    }
}

std::shared_ptr<room_tails::watched_room> room_tails::watch(
    const organization_id& organization, const room_id& room
) {
    std::shared_ptr<watched_room>& watched = rooms_[room];
    if (watched == nullptr) {
        watched = std::make_shared<watched_room>();
        watched->organization = organization;
        watched->id = room;
    }
    ++watched->readers;
    ++readers_;
    return watched;
}

void room_tails::unwatch(const std::shared_ptr<watched_room>& room) noexcept {
    --readers_;
    if (--room->readers == 0) {
        rooms_.erase(room->id);
    }
}

/// Reads the room as it is now, unless somebody did a moment ago: all its readers share the look.
awaitable<result<>> room_tails::look_at(std::shared_ptr<watched_room> room) {
    const bool is_fresh = room->around != nullptr &&
                          where_.now() < room->seen_at + settings_.access_interval;
    if (is_fresh || room->is_gone) {
        co_return result<>{};
    }
    const result<> looked = co_await look_now(std::move(room));
    co_return looked;
}

awaitable<result<>> room_tails::look_now(std::shared_ptr<watched_room> room) {
    room->seen_at = where_.now();
    ops::load_room_context request{room->organization, room->id};
    auto around = co_await store_.run(std::move(request));
    if (!around && around.error() == errc::not_found) {
        room->is_gone = true;
        room->changed.notify_all();
        co_return result<>{};
    }
    if (!around) {
        room->seen_at = monotonic_time{};
        co_return around.error();
    }
    if (around->room.latest_index > room->latest) {
        // Committed by somebody else, or before anybody watched.
        room->latest = around->room.latest_index;
        room->recent.clear();
        room->changed.notify_all();
    }
    room->around = std::make_shared<const room_context>(std::move(*around));
    co_return result<>{};
}

awaitable<void> room_tails::catch_up(room_id id) {
    const auto found = rooms_.find(id);
    if (found == rooms_.end()) {
        co_return;
    }
    const std::shared_ptr<watched_room> room = found->second;
    const event_index known = room->latest;
    ops::list_events request;
    request.organization = room->organization;
    request.room = room->id;
    request.after = known;
    request.limit = settings_.recent_events;
    const auto events = co_await store_.run(std::move(request));
    const bool is_whole = events && !events->empty() && events->size() < settings_.recent_events &&
                          events->front().index == known.next() && room->latest == known;
    if (is_whole) {
        add(*room, *events);
    } else {
        // More than is kept, holes, or somebody was faster: readers get it from the store.
        const result<> looked = co_await look_now(room);
        static_cast<void>(looked);  // readers look again after their interval
    }
}

awaitable<void> room_tails::catch_up_all() {
    std::vector<room_id> watched;
    watched.reserve(rooms_.size());
    for (const auto& [id, room] : rooms_) {
        watched.push_back(id);
    }
    for (room_id& id : watched) {
        co_await catch_up(std::move(id));
    }
}

// ---- tail_reader -----------------------------------------------------------------------------------------

tail_reader::tail_reader(
    room_tails* tails, std::shared_ptr<room_tails::watched_room> room, tail_request request
)
    : tails_(*tails),
      room_(std::move(room)),
      request_(std::move(request)),
      position_(request_.after.value_or(tail_position{})),
      erased_seen_(room_->erased_ever) {}

tail_reader::~tail_reader() { tails_.unwatch(room_); }

awaitable<result<tail_page>> tail_reader::next(deadline until) {
    tail_page page;
    for (;;) {
        if (has_ended_) {
            page.after = position_;
            co_return page;
        }
        const result<bool> may_read = co_await check_access();
        if (!may_read) {
            co_return may_read.error();
        }
        if (room_->is_gone || !*may_read) {
            co_return end(room_->is_gone ? "room_deleted" : "access_removed");
        }
        const result<> read = co_await read_page(&page);
        if (!read) {
            co_return read.error();
        }
        page.after = position_;
        if (!page.items.empty()) {
            co_return page;
        }
        if (position_.index < room_->latest) {
            continue;  // a page of what the reader may not see: the next one
        }
        if (tails_.is_draining_) {
            co_return end("draining");
        }
        if (until.has_passed(tails_.where_.now())) {
            co_return page;
        }
        const deadline look{looked_at_ + tails_.settings_.access_interval};
        const result<> woken = co_await with_deadline(
            until.sooner(look), until_set(&room_->changed)
        );
        if (!woken && woken.error() == errc::cancelled) {
            co_return woken.error();
        }
    }
}

tail_page tail_reader::end(std::string reason) {
    has_ended_ = true;
    tail_page page;
    page.items.emplace_back(tail_end{std::move(reason)});
    page.after = position_;
    return page;
}

/// R18: once an interval, and before anything is shown after it.
awaitable<result<bool>> tail_reader::check_access() {
    const monotonic_time now = tails_.where_.now();
    if (looked_at_ != monotonic_time{} && now < looked_at_ + tails_.settings_.access_interval) {
        co_return true;
    }
    const result<> looked = co_await tails_.look_at(room_);
    if (!looked) {
        co_return looked.error();
    }
    if (room_->is_gone) {
        co_return false;
    }
    const result<bool> may_read = co_await request_.view->may_read(room_->around);
    if (may_read) {
        looked_at_ = now;
    }
    co_return may_read;
}

awaitable<result<>> tail_reader::read_page(tail_page* page) {
    const result<> settled = co_await settle_position(page);
    if (!settled) {
        co_return settled;
    }
    take_erased(page);
    const bool has_more = page->items.empty() && position_.index < room_->latest;
    if (!has_more || take_recent(page)) {
        co_return result<>{};
    }
    const result<> taken = co_await take_stored(page);
    co_return taken;
}

/// A position of another counting, or of events that the room does not have, can't be served.
awaitable<result<>> tail_reader::settle_position(tail_page* page) {
    if (position_.index > room_->latest) {
        // It may come from a worker that knows more: the store decides.
        const result<> looked = co_await tails_.look_now(room_);
        if (!looked) {
            co_return looked;
        }
    }
    const std::int64_t epoch = room_->around->room.timeline_epoch;
    const bool is_repaired = position_.epoch != epoch;
    if (!is_repaired && position_.index <= room_->latest) {
        co_return result<>{};
    }
    page->items.emplace_back(
        tail_resync{event_index{0}, is_repaired ? "timeline_repaired" : "position_unknown"}
    );
    position_ = {epoch, room_->latest};
    co_return result<>{};
}

void tail_reader::take_erased(tail_page* page) {
    const std::uint64_t missed = room_->erased_ever - erased_seen_;
    if (missed > room_->erased.size()) {
        page->items.emplace_back(tail_resync{event_index{0}, "position_unknown"});
    } else {
        const auto first = room_->erased.end() - static_cast<std::ptrdiff_t>(missed);
        std::for_each(first, room_->erased.end(), [page](const event_id& event) {
            page->items.emplace_back(tail_erased{event});
        });
    }
    erased_seen_ = room_->erased_ever;
}

/// From what is kept of the room, without the store. False: it does not reach back that far.
bool tail_reader::take_recent(tail_page* page) {
    const auto& recent = room_->recent;
    if (recent.empty() || recent.front()->event.index > position_.index.next()) {
        return false;
    }
    const auto skipped = position_.index.next().value() - recent.front()->event.index.value();
    const std::size_t first = static_cast<std::size_t>(skipped);
    const std::size_t end = std::min(recent.size(), first + tails_.settings_.page_events);
    for (std::size_t i = first; i < end; ++i) {
        if (request_.view->may_see(*room_->around, recent[i]->event)) {
            page->items.emplace_back(recent[i]);
        }
        position_.index = recent[i]->event.index;
    }
    return true;
}

awaitable<result<>> tail_reader::take_stored(tail_page* page) {
    ops::list_events request;
    request.organization = request_.organization;
    request.room = request_.room;
    request.after = position_.index;
    request.limit = tails_.settings_.page_events;
    const std::size_t limit = request.limit;
    const event_index latest = room_->latest;
    auto events = co_await tails_.store_.run(std::move(request));
    if (!events) {
        co_return events.error();
    }

    const bool is_last_page = events->size() < limit;
    std::vector<event_index> present;
    present.reserve(events->size());
    std::ranges::transform(*events, std::back_inserter(present), &room_event::index);
    auto shown = co_await request_.view->show(room_->around, std::move(*events));
    if (!shown) {
        co_return shown.error();
    }

    // Holes and events in one order.
    auto next_shown = shown->begin();
    event_index expected = position_.index.next();
    const auto fill_up_to = [&](event_index end) {
        for (; expected < end; expected = expected.next()) {
            page->items.emplace_back(tail_hole{expected});
        }
    };
    for (const event_index index : present) {
        fill_up_to(index);
        if (next_shown != shown->end() && next_shown->index == index) {
            page->items.emplace_back(std::make_shared<const tail_event>(std::move(*next_shown)));
            ++next_shown;
        }
        expected = index.next();
    }
    if (is_last_page) {
        fill_up_to(latest.next());
    }
    position_.index = expected.previous();
    co_return result<>{};
}

}  // namespace convene
