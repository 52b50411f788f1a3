// SPDX-License-Identifier: Apache-2.0
// The HTTP surface with its streams and sockets, over doubles of what the network gives a handler.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/stream/stream_parts.hpp"
#include "live/commit_fanout.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {

/// The body of a stream, as its reader gets it.
class written_body final : public http_body_sink {
   public:
    [[nodiscard]] awaitable<result<>> write(std::string piece) override {
        text += piece;
        co_return result<>{};
    }

    std::string text;
};

/// The other end of a socket, played by a test.
class played_socket final : public websocket {
   public:
    [[nodiscard]] awaitable<result<std::string>> read() override {
        while (to_read_.empty() && !is_gone_) {
            arrived_.reset();
            const result<> woken = co_await until_set(&arrived_);
            if (!woken) {
                co_return woken.error();
            }
        }
        if (to_read_.empty()) {
            co_return errc::connection_lost;
        }
        std::string first = std::move(to_read_.front());
        to_read_.pop_front();
        co_return first;
    }

    [[nodiscard]] awaitable<result<>> write(std::string text) override {
        while (is_stalled) {
            resumed_.reset();
            const result<> woken = co_await until_set(&resumed_);
            if (!woken) {
                co_return woken.error();
            }
        }
        written.push_back(std::move(text));
        co_return result<>{};
    }

    [[nodiscard]] awaitable<void> close(std::uint16_t code, std::string) override {
        closed_with = code;
        co_return;
    }

    void say(std::string text) {
        to_read_.push_back(std::move(text));
        arrived_.set();
    }

    void go() {
        is_gone_ = true;
        arrived_.set();
    }

    void resume() {
        is_stalled = false;
        resumed_.set();
    }

    std::vector<std::string> written;
    std::optional<std::uint16_t> closed_with;
    bool is_stalled = false;

   private:
    std::deque<std::string> to_read_;
    bool is_gone_ = false;
    wait_flag arrived_;
    wait_flag resumed_;
};

class live_scene : public http_scene {
   public:
    live_scene() {
        fanout.add(&tails);
        fanout.add(&inbox);
        commits.to = &fanout;
        stream_parts parts;
        parts.where = &loop;
        parts.kit = kit.get();
        parts.who = &callers;
        parts.tails = &tails;
        parts.inbox = &inbox;
        parts.notices = &feed;
        parts.realtime = realtime.get();
        parts.presence = &presence;
        parts.clock = &world->clock;
        parts.random = &system_random();
        parts.draining = &draining;
        for (route& one : stream_routes(parts)) {
            surface->routes().add(std::move(one));
        }
    }

    ~live_scene() { commits.to = nullptr; }

    live_scene(const live_scene&) = delete;
    live_scene& operator=(const live_scene&) = delete;

    template <class Answer>
    Answer open(http_request asked) {
        http_answer answered = loop.run(surface->front().answer(std::move(asked)));
        Answer* const wanted = std::get_if<Answer>(&answered);
        EXPECT_NE(wanted, nullptr);
        return wanted != nullptr ? std::move(*wanted) : Answer{};
    }

    commit_fanout fanout;
    room_tails tails{loop, store, {}};
    notice_feed feed{store, {}};
    std::unique_ptr<realtime_backend> realtime = make_in_memory_realtime();
    presence_board presence{*realtime, world->clock};
    wait_flag draining;
};

}  // namespace convene
