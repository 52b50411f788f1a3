// SPDX-License-Identifier: Apache-2.0
// Outbound order: a count for each destination, brought in line with the store.
#include "channel/outbound_order.hpp"

#include <algorithm>

#include "store/store.hpp"

namespace convene {

awaitable<result<>> outbound_order::refresh() {
    const std::uint64_t before = changes_;
    const ops::list_outbound_addresses all;
    const auto listed = co_await store_.run(all);
    if (!listed) {
        co_return listed.error();
    }
    // A line that changed while the list was read may or may not be in it as it is now. It keeps
    // the higher count: a destination listed too long is a detour, one that is missed breaks the
    // order.
    std::erase_if(lines_, [before](const auto& entry) {
        return entry.second.changed_at <= before;
    });
    for (const auto& item : *listed) {
        line& known = lines_[{item.channel, item.address}];
        known.waiting = std::max(known.waiting, item.waiting);
    }
    co_return result<>{};
}

void outbound_order::added(const destination& to) {
    line& known = lines_[to];
    ++known.waiting;
    known.changed_at = ++changes_;
}

void outbound_order::removed(const destination& to) {
    const auto known = lines_.find(to);
    if (known == lines_.end()) {
        return;
    }
    known->second.changed_at = ++changes_;
    if (--known->second.waiting <= 0) {
        lines_.erase(known);
    }
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
