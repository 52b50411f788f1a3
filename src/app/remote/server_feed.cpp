// SPDX-License-Identifier: Apache-2.0
// Server feed: connections one after the other.
#include "app/remote/server_feed.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace convene {

namespace {

/// The server says something every 15 seconds: one that is silent for this long is gone.
constexpr std::chrono::seconds longest_silence{45};

constexpr std::size_t most_problem_bytes = std::size_t{64} << 10U;

}  // namespace

server_feed::server_feed(
    api_client& client, std::string path, const room& followed, event_index after
)
    : client_(client),
      path_(std::move(path)),
      cursor_(client.server(), followed, after),
      pace_(client.server().retry_for) {}

awaitable<outcome<std::vector<room_event>>> server_feed::next() {
    for (;;) {
        auto ready = cursor_.take();
        if (!ready || !ready->empty()) {
            co_return ready;
        }
        if (stream_ == nullptr) {
            const auto opened = co_await open();
            if (!opened) {
                co_return opened.error();
            }
            continue;
        }
        const result<> read = co_await read_more();
        if (!read) {
            stream_.reset();
            failure why = transport_failure(read.error(), client_.server());
            const milliseconds asked = cursor_.retry().value_or(milliseconds{0});
            const auto waited = co_await wait_after(std::move(why), asked);
            if (!waited) {
                co_return waited.error();
            }
        }
    }
}

/// *Errors*: the connection is of no use any more.
awaitable<result<>> server_feed::read_more() {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + longest_silence};
    const auto piece = co_await stream_->read(until);
    if (!piece) {
        co_return piece.error();
    }
    if (piece->empty()) {
        co_return errc::connection_closed;
    }
    pace_.succeeded();
    cursor_.push(*piece);
    co_return result<>{};
}

/// Opens the next connection, or waits a while where it can't. *Errors*: there is no use in going on.
awaitable<outcome<>> server_feed::open() {
    auto opened = co_await client_.open_stream(path_, cursor_.position());
    if (!opened && opened.error() != errc::cancelled) {
        failure why = transport_failure(opened.error(), client_.server());
        const bool may_pass = opened.error() != errc::io_failed &&
                              opened.error() != errc::invalid_argument;
        if (!may_pass) {
            co_return why;
        }
        auto waited = co_await wait_after(std::move(why), milliseconds::zero());
        co_return waited;
    }
    if (!opened) {
        co_return transport_failure(opened.error(), client_.server());
    }
    if ((*opened)->status() != 200) {
        auto refused = co_await read_refusal(opened->get());
        co_return refused;
    }
    cursor_.begin_connection();
    stream_ = std::move(*opened);
    co_return outcome<>{};
}

awaitable<outcome<>> server_feed::read_refusal(http_reply_stream* from) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + longest_silence};
    std::string body;
    result<std::string> piece = co_await from->read(until);
    while (piece && !piece->empty() && body.size() < most_problem_bytes) {
        body += *piece;
        piece = co_await from->read(until);
    }
    const problem_report problem = read_problem(from->status(), body);
    failure why = failure_of(problem, "following the room");
    if (!is_passing(problem)) {
        co_return why;
    }
    const milliseconds asked = problem.retry_after.value_or(std::chrono::seconds{0});
    auto waited = co_await wait_after(std::move(why), asked);
    co_return waited;
}

/// Waits before the next connection. *Errors*: `why`, when the patience is over.
awaitable<outcome<>> server_feed::wait_after(failure why, milliseconds at_least) {
    const coroutine_context context = co_await this_context();
    const auto wait = pace_.failed(context.where->now(), at_least, client_.random());
    if (!wait) {
        co_return why;
    }
    log(log_level::debug, "stream_taken_up_again", {{"after_ms", wait->count()}});
    const result<> slept = co_await sleep_for(*wait);
    if (!slept) {
        co_return why;
    }
    co_return outcome<>{};
}

}  // namespace convene
