// SPDX-License-Identifier: Apache-2.0
// Inbox feed: from a commit to the people of its room.
#include "live/inbox_feed.hpp"

#include <algorithm>
#include <utility>

namespace convene {

inbox_feed::subscription::subscription(
    inbox_feed* feed, organization_id organization, participant_id who, inbox_scope scope
)
    : feed_(*feed), organization_(std::move(organization)), who_(std::move(who)), scope_(scope) {
    feed_.sessions_[who_].push_back(this);
    if (scope_ == inbox_scope::every_room) {
        feed_.overseers_.push_back(this);
    }
}

inbox_feed::subscription::~subscription() {
    const auto sessions = feed_.sessions_.find(who_);
    std::erase(sessions->second, this);
    if (sessions->second.empty()) {
        feed_.sessions_.erase(sessions);
    }
    std::erase(feed_.overseers_, this);
}

awaitable<result<inbox_news>> inbox_feed::subscription::next() {
    const result<> woken = co_await arrived_.wait();
    if (!woken) {
        co_return woken.error();
    }
    arrived_.reset();
    const std::set<room_id> moved = std::exchange(moved_, {});
    const std::set<room_id> changed = std::exchange(changed_, {});
    const std::set<room_id> driven = std::exchange(driven_, {});
    inbox_news all;
    all.moved.assign(moved.begin(), moved.end());
    all.changed.assign(changed.begin(), changed.end());
    all.driven.assign(driven.begin(), driven.end());
    all.may_have_missed = std::exchange(may_have_missed_, false);
    co_return all;
}

std::unique_ptr<inbox_feed::subscription> inbox_feed::subscribe(
    organization_id organization, participant_id who, inbox_scope scope
) {
    return std::make_unique<subscription>(this, std::move(organization), std::move(who), scope);
}

void inbox_feed::committed(
    const std::shared_ptr<const room_context>& around, const std::vector<room_event>& /*events*/
) noexcept {
    // Other workers hear of commits by themselves.
    hear_commit(*around);
}

void inbox_feed::erased(
    const room_id& /*room*/, const std::vector<event_id>& /*events*/
) noexcept {
    // Counts go down by it, which nobody has to be told at once.
}

void inbox_feed::room_changed(const room_context& around) {
    const room& changed = around.room;
    for (const participant& one : around.participants) {
        hear_changed(changed.organization, changed.id, one.id);
    }
    hear_changed(changed.organization, changed.id);
    announce({room_news_kind::changed, changed.organization, changed.id, {}});
}

void inbox_feed::room_changed(
    const organization_id& organization, const room_id& room, const participant_id& who
) {
    hear_changed(organization, room, who);
    hear_changed(organization, room);
    announce({room_news_kind::changed, organization, room, {who.str()}});
}

void inbox_feed::has_read(
    const organization_id& organization, const room_id& room, const participant_id& who
) {
    hear_moved(organization, room, who);
    announce({room_news_kind::read, organization, room, {who.str()}});
}

void inbox_feed::announce(room_news told) const {
    if (announce_) {
        announce_(std::move(told));
    }
}

// ---- what other workers reported -------------------------------------------------------------------------

bool inbox_feed::has_sessions(const organization_id& organization) const {
    return std::ranges::any_of(sessions_, [&organization](const auto& of_one) {
        return std::ranges::any_of(of_one.second, [&organization](const subscription* session) {
            return session->organization_ == organization;
        });
    });
}

void inbox_feed::hear_commit(const room_context& around) {
    for (const participant& one : around.participants) {
        hear_moved(around.room.organization, around.room.id, one.id);
    }
}

void inbox_feed::hear_session(const room_context& around) {
    const room& changed = around.room;
    for (const participant& one : around.participants) {
        tell(changed.organization, changed.id, one.id, &subscription::driven_);
    }
    tell_overseers(changed.organization, changed.id, &subscription::driven_);
}

void inbox_feed::hear_changed(
    const organization_id& organization, const room_id& room, const participant_id& who
) {
    tell(organization, room, who, &subscription::changed_);
}

void inbox_feed::hear_changed(const organization_id& organization, const room_id& room) {
    tell_overseers(organization, room, &subscription::changed_);
}

void inbox_feed::hear_moved(
    const organization_id& organization, const room_id& room, const participant_id& who
) {
    tell(organization, room, who, &subscription::moved_);
}

void inbox_feed::may_have_missed() {
    for (const auto& [who, sessions] : sessions_) {
        for (subscription* const session : sessions) {
            session->may_have_missed_ = true;
            session->arrived_.set();
        }
    }
}

void inbox_feed::tell_overseers(
    const organization_id& organization, const room_id& room, news which
) {
    for (subscription* const session : overseers_) {
        if (session->organization_ == organization) {
            (session->*which).insert(room);
            session->arrived_.set();
        }
    }
}

void inbox_feed::tell(
    const organization_id& organization, const room_id& room, const participant_id& who, news which
) {
    const auto sessions = sessions_.find(who);
    if (sessions == sessions_.end()) {
        return;
    }
    for (subscription* const session : sessions->second) {
        if (session->organization_ == organization) {
            (session->*which).insert(room);
            session->arrived_.set();
        }
    }
}

}  // namespace convene
