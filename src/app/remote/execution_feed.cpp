// SPDX-License-Identifier: Apache-2.0
// Execution feed: connections one after the other.
#include "app/remote/execution_feed.hpp"

#include "convene/wait.hpp"

#include <utility>

#include "app/remote/problem_report.hpp"
#include "base/canonical_json.hpp"
#include "base/json_scanner.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

/// The server says something every 15 seconds: one that is silent for this long is gone.
constexpr std::chrono::seconds longest_silence{45};
constexpr std::size_t most_frame_bytes = std::size_t{16} << 20U;
constexpr int ok = 200;
constexpr int all_seen = 204;
constexpr int not_begun = 404;

bool is_end(std::string_view type) { return type == "RUN_FINISHED" || type == "RUN_ERROR"; }

/// `{run}-{number}` is the id of a frame.
std::string run_of(const std::string& id) { return id.substr(0, id.rfind('-')); }

}  // namespace

execution_feed::execution_feed(api_client& client, const std::string& execution)
    : client_(client),
      path_("/api/v1/workflow-executions/" + percent_encode(execution) + "/agent/stream"),
      pace_(client.server().retry_for),
      frames_(most_frame_bytes) {}

awaitable<outcome<std::optional<std::string>>> execution_feed::next() {
    for (;;) {
        if (!ready_.empty()) {
            std::optional<std::string> event{std::move(ready_.front())};
            ready_.pop_front();
            co_return event;
        }
        if (std::exchange(is_over_, false)) {
            stream_.reset();
            co_return std::optional<std::string>{};
        }
        if (stream_ == nullptr) {
            const auto begun = co_await open();
            if (!begun) {
                co_return begun.error();
            }
            if (*begun == opened::nothing_new) {
                co_return std::optional<std::string>{};
            }
            continue;
        }
        const result<> read = co_await read_more();
        if (!read) {
            stream_.reset();
            failure why = transport_failure(read.error(), client_.server());
            const milliseconds asked = frames_.retry().value_or(milliseconds{0});
            const auto waited = co_await wait_after(std::move(why), asked);
            if (!waited) {
                co_return waited.error();
            }
        } else if (!take_frames()) {
            co_return unknown_answer("data", client_.server());
        }
    }
}

awaitable<outcome<execution_feed::opened>> execution_feed::open() {
    for (;;) {
        auto reply = co_await client_.open_stream(path_, position_);
        failure why;
        milliseconds asked{0};
        if (!reply) {
            why = transport_failure(reply.error(), client_.server());
            if (reply.error() == errc::cancelled || why.ends_with == exit_code::usage) {
                co_return why;
            }
        } else {
            const int status = (*reply)->status();
            if (status == ok) {
                frames_ = sse_frames{most_frame_bytes};
                stream_ = std::move(*reply);
                co_return opened::reading;
            }
            if (status == all_seen || status == not_begun) {
                position_.clear();
                co_return opened::nothing_new;
            }
            const problem_report problem = read_problem(status, "");
            why = failure_of(problem, "following the execution");
            if (!is_passing(problem)) {
                co_return why;
            }
        }
        const auto waited = co_await wait_after(std::move(why), asked);
        if (!waited) {
            co_return waited.error();
        }
    }
}

/// *Errors*: the connection is of no use any more.
awaitable<result<>> execution_feed::read_more() {
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
    co_return frames_.push(*piece);
}

/// False for a frame that is none of ours.
bool execution_feed::take_frames() {
    while (auto frame = frames_.next()) {
        if (frame->event != "message" || is_over_) {
            continue;
        }
        const auto scanned = scan_json(
            frame->data, "", boundary_limits::of_stored_json(), text_policy::reject
        );
        if (!scanned) {
            return false;
        }
        const std::string run = run_of(frame->id);
        if (run == done_) {
            is_over_ = true;
            continue;
        }
        position_ = frame->id;
        if (is_end(find_text(scanned->canonical, "type").value_or(""))) {
            done_ = run;
            position_.clear();
            is_over_ = true;
        }
        ready_.push_back(scanned->canonical);
    }
    return true;
}

/// Waits before the next connection. *Errors*: `why`, when the patience is over.
awaitable<outcome<>> execution_feed::wait_after(failure why, milliseconds at_least) {
    const coroutine_context context = co_await this_context();
    const auto wait = pace_.failed(context.where->now(), at_least, client_.random());
    if (!wait) {
        co_return why;
    }
    const result<> slept = co_await sleep_for(*wait);
    if (!slept) {
        co_return why;
    }
    co_return outcome<>{};
}

}  // namespace convene
