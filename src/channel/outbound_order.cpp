// SPDX-License-Identifier: Apache-2.0
// Outbound order: a line for each destination, brought in line with the store.
#include "channel/outbound_order.hpp"

#include <algorithm>
#include <utility>

#include "store/store.hpp"

namespace convene {

awaitable<result<>> outbound_order::refresh() {
    const std::uint64_t asked_at = ++moments_;
    const ops::list_outbound_addresses all;
    const auto listed = co_await store_.run(all);
    if (!listed) {
        co_return listed.error();
    }
    // What was learned since this list was asked for, from an item or from a later list, may not be
    // in it. It keeps the higher count: a destination listed too long is a detour, one that is
    // missed breaks the order.
    std::erase_if(lines_, [asked_at](const auto& entry) {
        return entry.second.known_at < asked_at;
    });
    take(*listed, asked_at);
    std::erase_if(doubted_, [asked_at](const auto& entry) { return entry.second < asked_at; });
    co_return result<>{};
}

awaitable<result<>> outbound_order::learn(room_id room) {
    const std::uint64_t asked_at = ++moments_;
    ops::list_outbound_addresses of_room;
    of_room.room = room;
    const auto listed = co_await store_.run(std::move(of_room));
    if (!listed) {
        co_return listed.error();
    }
    take(*listed, asked_at);
    const auto doubted = doubted_.find(room);
    if (doubted != doubted_.end() && doubted->second < asked_at) {
        doubted_.erase(doubted);
    }
    co_return result<>{};
}

void outbound_order::take(
    const ops::list_outbound_addresses::answer& listed, std::uint64_t asked_at
) {
    for (const auto& item : listed) {
        line& known = lines_[{item.channel, item.address}];
        known.waiting = std::max(known.waiting, item.waiting);
        known.known_at = std::max(known.known_at, asked_at);
    }
}

void outbound_order::added(const destination& to) {
    line& known = lines_[to];
    ++known.waiting;
    known.known_at = ++moments_;
}

std::vector<std::pair<destination, std::int64_t>> outbound_order::waiting() const {
    std::vector<std::pair<destination, std::int64_t>> listed;
    listed.reserve(lines_.size());
    for (const auto& [to, line] : lines_) {
        listed.emplace_back(to, line.waiting);
    }
    return listed;
}

}  // namespace convene
