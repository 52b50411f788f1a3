// SPDX-License-Identifier: Apache-2.0
// Inbox feed: from a commit to the people of its room.
#include "live/inbox_feed.hpp"

#include <utility>

namespace convene {

inbox_feed::subscription::subscription(
    inbox_feed* feed, organization_id organization, participant_id who
)
    : feed_(*feed), organization_(std::move(organization)), who_(std::move(who)) {
    feed_.sessions_[who_].push_back(this);
}

inbox_feed::subscription::~subscription() {
    const auto sessions = feed_.sessions_.find(who_);
    std::erase(sessions->second, this);
    if (sessions->second.empty()) {
        feed_.sessions_.erase(sessions);
    }
}

awaitable<result<std::vector<room_id>>> inbox_feed::subscription::next() {
    const result<> woken = co_await arrived_.wait();
    if (!woken) {
        co_return woken.error();
    }
    arrived_.reset();
    std::set<room_id> moved = std::exchange(moved_, {});
    co_return std::vector<room_id>(moved.begin(), moved.end());
}

std::unique_ptr<inbox_feed::subscription> inbox_feed::subscribe(
    organization_id organization, participant_id who
) {
    return std::make_unique<subscription>(this, std::move(organization), std::move(who));
}

void inbox_feed::committed(
    const std::shared_ptr<const room_context>& around, const std::vector<room_event>&
) noexcept {
    changed(*around);
}

void inbox_feed::erased(const room_id&, const std::vector<event_id>&) noexcept {
    // Counts go down by it, which nobody has to be told at once.
}

void inbox_feed::changed(const room_context& around) {
    if (sessions_.empty()) {
        return;
    }
    for (const participant& one : around.participants) {
        const auto sessions = sessions_.find(one.id);
        if (sessions == sessions_.end()) {
            continue;
        }
        for (subscription* const session : sessions->second) {
            if (session->organization_ == around.room.organization) {
                session->moved_.insert(around.room.id);
                session->arrived_.set();
            }
        }
    }
}

}  // namespace convene
