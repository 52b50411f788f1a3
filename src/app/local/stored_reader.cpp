// SPDX-License-Identifier: Apache-2.0
// Stored reader: the operations of the store, and their errors in words.
#include "app/local/stored_reader.hpp"

#include <utility>

#include "app/deleted_text.hpp"
#include "app/local/stored_feed.hpp"
#include "app/room_lookup.hpp"

namespace convene {

namespace {

constexpr std::size_t rooms_page = 500;

}  // namespace

stored_reader::stored_reader(
    conversation_store& store, organization_id organization, database_place place
)
    : store_(store), organization_(std::move(organization)), place_(std::move(place)) {}

stored_reader::stored_reader(
    std::unique_ptr<conversation_store> store, organization_id organization, database_place place
)
    : owned_(std::move(store)),
      store_(*owned_),
      organization_(std::move(organization)),
      place_(std::move(place)) {}

awaitable<outcome<room_page>> stored_reader::list_rooms(
    std::optional<room_status> status, std::string from
) {
    ops::list_rooms request;
    request.organization = organization_;
    request.status = status;
    request.after = room_id{std::move(from)};
    request.limit = rooms_page;
    auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return store_failure(found.error(), "listing the rooms");
    }
    room_page page;
    page.rooms = std::move(*found);
    if (page.rooms.size() == rooms_page) {
        page.next = page.rooms.back().id.str();
    }
    co_return page;
}

awaitable<outcome<room_context>> stored_reader::get_room(room_id id) {
    ops::load_room_context request{organization_, std::move(id)};
    auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return store_failure(found.error(), "reading a room");
    }
    co_return std::move(*found);
}

awaitable<outcome<std::optional<room_context>>> stored_reader::look_up_room(std::string name) {
    const auto found = co_await convene::look_up_room(&store_, organization_, std::move(name));
    if (!found) {
        co_return store_failure(found.error(), "looking for the room");
    }
    if (!*found) {
        co_return std::optional<room_context>{};
    }
    auto whole = co_await get_room((*found)->id);
    if (!whole) {
        co_return whole.error();
    }
    co_return std::optional<room_context>{std::move(*whole)};
}

awaitable<outcome<event_page>> stored_reader::list_events(
    room_id of, event_index after, std::size_t limit
) {
    ops::list_events request;
    request.organization = organization_;
    request.room = of;
    request.after = after;
    request.limit = limit;
    auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return store_failure(found.error(), "reading the room");
    }
    const result<> hidden = co_await hide_deleted(&store_, std::move(of), &*found);
    if (!hidden) {
        co_return store_failure(hidden.error(), "reading the room");
    }
    event_page page;
    page.events = std::move(*found);
    if (page.events.size() == limit) {
        page.next_after = page.events.back().index;
    }
    co_return page;
}

awaitable<outcome<index_map>> stored_reader::find_indexes(room_id of, std::vector<event_id> ids) {
    index_map known;
    if (ids.empty()) {
        co_return known;
    }
    ops::find_events request;
    request.room = std::move(of);
    request.ids = std::move(ids);
    const auto found = co_await store_.run(std::move(request));
    if (!found) {
        co_return store_failure(found.error(), "reading the room");
    }
    for (const room_event& event : *found) {
        known.insert_or_assign(event.id.str(), event.index);
    }
    co_return known;
}

std::unique_ptr<event_feed> stored_reader::follow(const room& followed, event_index after) {
    return std::make_unique<stored_feed>(*this, place_, followed, after);
}

awaitable<void> stored_reader::close() {
    if (owned_ != nullptr) {
        co_await owned_->close();
    }
}

}  // namespace convene
