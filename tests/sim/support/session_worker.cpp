// SPDX-License-Identifier: Apache-2.0
// Putting the parts together as `app/server/server_worker.cpp` does.
#include "sim/support/session_worker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/session/session_channel.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// A reader's request has about as many pages and takes about as long.
constexpr int pages_per_request = 3;
constexpr auto longest_reading = 2s;

}  // namespace

sim_session_worker::sim_session_worker(const parts& with, const session_settings& settings)
    : where_(*with.where),
      kit_(*with.kit),
      announce_(with.announce),
      feeds_(where_, kit_.store()),
      streams_(
          where_,
          kit_.store(),
          feeds_,
          [this](const agent_run_record& run) { announce_({sim_session_news::kind::runs, run.id}); }
      ),
      service_(parts_of(with), settings),
      scope_(where_) {}

session_parts sim_session_worker::parts_of(const parts& with) {
    session_parts parts;
    parts.where = with.where;
    parts.kit = with.kit;
    parts.locks = with.locks;
    parts.streams = &streams_;
    parts.clock = with.clock;
    parts.random = with.random;
    parts.agents = [this](const channel_id& id) { return session_agent_of(kit_, id); };
    parts.announce_turn = [this] { announce_({sim_session_news::kind::turns}); };
    parts.announce_cancel = [this](const agent_run_record& run) {
        announce_({sim_session_news::kind::run_ends, run.id});
    };
    return parts;
}

awaitable<void> sim_session_worker::stop() {
    co_await shielded(service_.stop());
    co_await shielded(streams_.stop());
    scope_.request_stop();
    co_await shielded(scope_.join());
}

void sim_session_worker::hear(const std::optional<sim_session_news>& news) {
    if (!news) {
        feeds_.look_at_all();
        service_.wake();
        scope_.spawn("cancels", service_.look_for_cancels());
        return;
    }
    switch (news->what) {
        case sim_session_news::kind::runs:
            return feeds_.look_at(news->run);
        case sim_session_news::kind::turns:
            return service_.wake();
        case sim_session_news::kind::run_ends:
            return service_.hear_cancel(news->run);
    }
}

awaitable<result<bool>> sim_session_worker::leave_to_driver(agent_request request) {
    const result<bool> left = co_await queue_message_turn(&kit_, std::move(request));
    if (left && *left) {
        service_.wake();
        announce_({sim_session_news::kind::turns});
    }
    co_return left;
}

awaitable<result<run_page>> sim_session_worker::read(
    organization_id organization, run_id run, std::int64_t after
) {
    const auto reader = co_await feeds_.open(std::move(organization), std::move(run), after);
    if (!reader) {
        co_return reader.error();
    }
    const deadline until{where_.now() + longest_reading};
    run_page all;
    for (int page = 0; page < pages_per_request && !all.is_whole; ++page) {
        auto next = co_await (*reader)->next(until);
        if (!next) {
            co_return next.error();
        }
        std::ranges::move(next->frames, std::back_inserter(all.frames));
        all.is_whole = next->is_whole;
        all.has_missed = all.has_missed || next->has_missed;
        if (next->frames.empty()) {
            break;
        }
    }
    co_return all;
}

}  // namespace convene
