// SPDX-License-Identifier: Apache-2.0
// Remote news: what was said of a room, looked up where somebody waits for it.
#include "live/remote_news.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "store/store.hpp"

namespace convene {

remote_news::remote_news(parts with) : parts_(std::move(with)) {
    parts_.inbox->announce_to([this](room_news told) { parts_.bus->publish(std::move(told)); });
}

void remote_news::committed(
    const std::shared_ptr<const room_context>& around, const std::vector<room_event>& /*events*/
) noexcept {
    parts_.bus->publish({room_news_kind::committed, around->room.organization, around->room.id, {}}
    );
}

void remote_news::erased(const room_id& room, const std::vector<event_id>& events) noexcept {
    room_news told{room_news_kind::erased, {}, room, {}};
    told.names.reserve(events.size());
    for (const event_id& event : events) {
        told.names.push_back(event.str());
    }
    parts_.bus->publish(std::move(told));
}

void remote_news::channels_changed(const organization_id& organization) {
    parts_.bus->publish({room_news_kind::channels, organization, {}, {}});
}

awaitable<void> remote_news::run() {
    for (;;) {
        auto heard = co_await parts_.bus->hear();
        if (!heard) {
            co_return;
        }
        if (heard->may_have_missed) {
            co_await parts_.tails->catch_up_all();
            parts_.inbox->may_have_missed();
            heard->news.push_back({room_news_kind::channels, {}, {}, {}});
            if (parts_.hear_runs) {
                co_await parts_.hear_runs(std::nullopt);
            }
        }
        for (room_news& one : heard->news) {
            co_await take(std::move(one));
        }
    }
}

awaitable<void> remote_news::take(room_news news) {
    switch (news.kind) {
        case room_news_kind::committed:
            co_await take_commit(std::move(news));
            break;
        case room_news_kind::changed:
            co_await take_change(std::move(news));
            break;
        case room_news_kind::erased: {
            std::vector<event_id> events;
            events.reserve(news.names.size());
            for (std::string& name : news.names) {
                events.emplace_back(std::move(name));
            }
            parts_.tails->erased(news.room, events);
            break;
        }
        case room_news_kind::read:
            for (std::string& name : news.names) {
                parts_.inbox->hear_moved(
                    news.organization, news.room, participant_id{std::move(name)}
                );
            }
            break;
        case room_news_kind::deliveries:
            if (std::ranges::find(news.names, parts_.self.str()) != news.names.end()) {
                parts_.answer_bell(news.organization, news.room);
            }
            break;
        case room_news_kind::runs:
        case room_news_kind::run_ends:
        case room_news_kind::turns:
        case room_news_kind::session:
            if (parts_.hear_runs) {
                co_await parts_.hear_runs(std::move(news));
            }
            break;
        case room_news_kind::channels: {
            const result<> refreshed = co_await parts_.refresh_channels();
            if (!refreshed) {
                log(log_level::warn, "channels_not_refreshed", {{"error", refreshed.error()}});
            }
            break;
        }
    }
}

awaitable<void> remote_news::take_commit(room_news news) {
    co_await parts_.tails->catch_up(news.room);
    if (!parts_.inbox->has_sessions(news.organization)) {
        co_return;
    }
    ops::load_room_context request{news.organization, news.room};
    const auto around = co_await parts_.store->run(std::move(request));
    // A room that is gone has no news, and a store that does not answer is asked again at the next.
    if (around) {
        parts_.inbox->hear_commit(*around);
    }
}

awaitable<void> remote_news::take_change(room_news news) {
    parts_.inbox->hear_changed(news.organization, news.room);
    for (const std::string& name : news.names) {
        parts_.inbox->hear_changed(news.organization, news.room, participant_id{name});
    }
    if (!news.names.empty() || !parts_.inbox->has_sessions(news.organization)) {
        co_return;
    }
    ops::load_room_context request{news.organization, news.room};
    const auto around = co_await parts_.store->run(std::move(request));
    if (!around) {
        co_return;
    }
    for (const participant& one : around->participants) {
        parts_.inbox->hear_changed(news.organization, news.room, one.id);
    }
}

}  // namespace convene
