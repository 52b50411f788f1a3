// SPDX-License-Identifier: Apache-2.0
// Notify bus: news as JSON in notifications, and back.
#include "live/postgres/notify_bus.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto coalescing = 5ms;
constexpr auto between_connects = 250ms;

/// PostgreSQL takes payloads below 8,000 bytes.
constexpr std::size_t largest_payload = 7'500;

/// What one piece of news may say itself; a room of which more was erased is told as changed by its commits.
constexpr std::size_t most_names = 40;

constexpr std::size_t most_unsaid = 10'000;

constexpr std::string_view channel = "convene_news";

std::string text_of(const room_news& news) {
    json_writer out;
    out.begin_array();
    out.integer(static_cast<std::int64_t>(news.kind));
    out.string(news.organization.str());
    out.string(news.room.str());
    for (const std::string& name : news.names) {
        out.string(name);
    }
    out.end_array();
    return out.take().str();
}

std::string quoted(const std::string& text) {
    json_writer out;
    out.string(text);
    return out.take().str();
}

std::optional<room_news> news_of(const boost::json::value& value) {
    const boost::json::array* const parts = value.if_array();
    if (parts == nullptr || parts->size() < 3 || !(*parts)[0].is_int64()) {
        return std::nullopt;
    }
    room_news news;
    news.kind = static_cast<room_news_kind>((*parts)[0].get_int64());
    for (std::size_t i = 1; i < parts->size(); ++i) {
        const boost::json::string* const text = (*parts)[i].if_string();
        if (text == nullptr) {
            return std::nullopt;
        }
        if (i == 1) {
            news.organization = organization_id{std::string{*text}};
        } else if (i == 2) {
            news.room = room_id{std::string{*text}};
        } else {
            news.names.emplace_back(*text);
        }
    }
    return news;
}

}  // namespace

notify_bus::notify_bus(loop& where, std::string address, incarnation_id self)
    : self_(std::move(self)),
      opener_(where, {std::move(address), postgres::session_kind::leases, self_}),
      scope_(where) {}

void notify_bus::start() { scope_.spawn("news bus", run()); }

awaitable<void> notify_bus::stop() {
    scope_.request_stop();
    co_await shielded(scope_.join());
}

void notify_bus::publish(room_news news) {
    if (news.names.size() > most_names || unsaid_.size() >= most_unsaid) {
        has_lost_words_ = true;
    } else {
        unsaid_.insert(std::move(news));
    }
    if (waiting_ != nullptr) {
        waiting_->request(errc::cancelled);
    }
}

awaitable<result<heard_news>> notify_bus::hear() {
    const result<> came = co_await arrived_.wait();
    if (!came) {
        co_return came.error();
    }
    arrived_.reset();
    co_return std::exchange(heard_, {});
}

awaitable<void> notify_bus::run() {
    for (;;) {
        const coroutine_context context = co_await this_context();
        if (!context.check_cancelled()) {
            co_return;
        }
        auto opened = co_await opener_.open(postgres::session_kind::leases);
        if (opened) {
            co_await serve(opened->get());
        }
        is_connected_ = false;
        const result<> slept = co_await sleep_for(between_connects);
        static_cast<void>(slept);  // a cancelled one ends the loop above
    }
}

/// Until the connection is lost or the bus is stopped.
awaitable<void> notify_bus::serve(postgres::connection* open) {
    postgres::request listen;
    listen.add("LISTEN convene_news");
    const auto listening = co_await open->run(std::move(listen));
    if (!listening || !listening->front().is_good()) {
        co_return;
    }
    is_connected_ = true;
    // Whatever was said before this moment was not heard.
    heard_.may_have_missed = true;
    arrived_.set();
    for (;;) {
        if (!unsaid_.empty() || has_lost_words_) {
            const result<> collected = co_await sleep_for(coalescing);
            if (!collected) {
                co_return;
            }
            const result<> said = co_await say(open);
            if (!said) {
                co_return;
            }
        }
        take(open->take_notifications());
        cancel_source interrupt;
        waiting_ = &interrupt;
        auto waiting = open->wait_for_notifications();
        const auto came = co_await cancelled_by(&interrupt, std::move(waiting));
        waiting_ = nullptr;
        if (came) {
            take(*came);
        } else if (!interrupt.is_requested()) {
            co_return;
        }
    }
}

/// Sends all that waits. What was lost with a connection is made good by those who read the store.
awaitable<result<>> notify_bus::say(postgres::connection* open) {
    const std::string from = quoted(self_.str());
    std::vector<std::string> payloads;
    std::string next = '[' + from;
    const auto add = [&](const std::string& text) {
        if (next.size() + text.size() > largest_payload) {
            payloads.push_back(std::exchange(next, '[' + from) + ']');
        }
        next += ',' + text;
    };
    if (std::exchange(has_lost_words_, false)) {
        add("null");
    }
    for (const room_news& news : std::exchange(unsaid_, {})) {
        add(text_of(news));
    }
    payloads.push_back(next + ']');
    postgres::request sent;
    for (const std::string& payload : payloads) {
        sent.add("SELECT pg_notify('convene_news', ?1)", payload);
    }
    const auto answered = co_await open->run(std::move(sent));
    co_return answered ? result<>{} : result<>{answered.error()};
}

void notify_bus::take(const std::vector<postgres::notification>& came) {
    for (const postgres::notification& one : came) {
        boost::system::error_code refused;
        const boost::json::value parsed = boost::json::parse(one.payload, refused);
        const boost::json::array* const parts = refused ? nullptr : parsed.if_array();
        if (one.channel != channel || parts == nullptr || parts->empty()) {
            continue;
        }
        const boost::json::string* const from = (*parts)[0].if_string();
        if (from != nullptr && std::string_view{*from} == self_.str()) {
            continue;
        }
        for (std::size_t i = 1; i < parts->size(); ++i) {
            // What a newer version says in words that are not known here is looked up everywhere.
            if (std::optional<room_news> news = news_of((*parts)[i])) {
                heard_.news.push_back(*std::move(news));
            } else {
                heard_.may_have_missed = true;
            }
        }
        arrived_.set();
    }
}

}  // namespace convene
