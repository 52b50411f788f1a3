// SPDX-License-Identifier: Apache-2.0
// Server feed: frames to events, and connections one after the other.
#include "app/remote/server_feed.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

#include "app/remote/shapes.hpp"
#include "base/json_scanner.hpp"
#include "base/log.hpp"
#include "live/tail_position.hpp"

namespace convene {

namespace {

/// The server says something every 15 seconds: one that is silent for this long is gone.
constexpr std::chrono::seconds longest_silence{45};

/// A frame holds one event.
constexpr std::size_t most_frame_bytes = std::size_t{16} << 20U;

constexpr std::size_t most_problem_bytes = std::size_t{64} << 10U;

failure stream_ended(std::string_view reason) {
    if (reason == "room_deleted") {
        return {exit_code::refused, "ROOM was deleted", {}};
    }
    return {
        exit_code::usage,
        "the token (CONVENE_TOKEN) may not see ROOM any more",
        "use one that may: access was removed while the room was followed"
    };
}

/// The server would not know an index that is still to come.
event_index known_start(const room& followed, event_index after) {
    return std::min(after, followed.latest_index);
}

/// The reason that a frame gives; empty if it gives none.
std::string reason_in(const std::string& data) {
    const auto scanned = scan_json(
        data, "", boundary_limits::of_stored_json(), text_policy::replace
    );
    return scanned ? find_text(scanned->canonical, "reason").value_or("") : "";
}

}  // namespace

server_feed::server_feed(
    api_client& client, std::string path, const room& followed, event_index after
)
    : client_(client),
      path_(std::move(path)),
      last_(after),
      position_(tail_position{followed.timeline_epoch, known_start(followed, after)}.text()),
      pace_(client.server().retry_for),
      frames_(most_frame_bytes) {}

awaitable<outcome<std::vector<room_event>>> server_feed::next() {
    for (;;) {
        auto ready = take_ready();
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
            const auto waited = co_await wait_after(
                transport_failure(read.error(), client_.server())
            );
            if (!waited) {
                co_return waited.error();
            }
        }
    }
}

outcome<std::vector<room_event>> server_feed::take_ready() {
    std::vector<room_event> events;
    while (auto frame = frames_.next()) {
        taken_frame taken = take(*frame);
        // What came before the end is given out first; the end is said again by the next connection.
        if (!taken && !events.empty()) {
            stream_.reset();
            break;
        }
        if (!taken) {
            return taken.error();
        }
        if (!frame->id.empty()) {
            position_ = frame->id;
        }
        if (*taken && (*taken)->index > last_) {
            last_ = (*taken)->index;
            events.push_back(std::move(**taken));
        }
    }
    return events;
}

server_feed::taken_frame server_feed::take(const sse_frame& frame) {
    if (frame.event == "message") {
        const auto scanned = scan_json(
            frame.data, "", boundary_limits::of_stored_json(), text_policy::reject
        );
        if (!scanned) {
            return unknown_answer("data", client_.server());
        }
        checked<room_event> event = read_event(scanned->canonical);
        if (!event) {
            return unknown_answer(event.error().field, client_.server());
        }
        return std::optional{std::move(*event)};
    }
    if (frame.event == "resync") {
        return room_was_repaired();
    }
    if (frame.event == "end") {
        const std::string reason = reason_in(frame.data);
        const bool is_final = reason == "access_removed" || reason == "room_deleted";
        // The others ask to come again: the connection ends now.
        return is_final ? taken_frame{stream_ended(reason)}
                        : taken_frame{std::optional<room_event>{}};
    }
    return std::optional<room_event>{};
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
    const result<> pushed = frames_.push(*piece);
    co_return pushed;
}

/// Opens the next connection, or waits a while where it can't. *Errors*: there is no use in going on.
awaitable<outcome<>> server_feed::open() {
    auto opened = co_await client_.open_stream(path_, position_);
    if (!opened && opened.error() != errc::cancelled) {
        failure why = transport_failure(opened.error(), client_.server());
        const bool may_pass = opened.error() != errc::io_failed &&
                              opened.error() != errc::invalid_argument;
        if (!may_pass) {
            co_return why;
        }
        auto waited = co_await wait_after(std::move(why));
        co_return waited;
    }
    if (!opened) {
        co_return transport_failure(opened.error(), client_.server());
    }
    if ((*opened)->status() != 200) {
        auto refused = co_await read_refusal(opened->get());
        co_return refused;
    }
    frames_ = sse_frames{most_frame_bytes};
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
    auto waited = co_await wait_after(std::move(why));
    co_return waited;
}

/// Waits before the next connection. *Errors*: `why`, when the patience is over.
awaitable<outcome<>> server_feed::wait_after(failure why) {
    const coroutine_context context = co_await this_context();
    const milliseconds asked = frames_.retry().value_or(milliseconds{0});
    const auto wait = pace_.failed(context.where->now(), asked, client_.random());
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
