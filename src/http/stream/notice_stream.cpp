// SPDX-License-Identifier: Apache-2.0
// Notice stream: pages of the store, as the reader takes them.
#include "http/stream/notice_stream.hpp"

#include <charconv>
#include <memory>
#include <utility>

#include "base/json_writer.hpp"
#include "http/stream/sse.hpp"
#include "http/view/notice_view.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 100;

/// How often access is looked at: it ends within 5 s (R18).
constexpr std::chrono::milliseconds access_interval{2'000};

/// One reader, from its opening to its end. *Lifetime*: the parts outlive it.
class notice_reader {
   public:
    notice_reader(stream_parts parts, principal who, std::optional<std::int64_t> after)
        : parts_(parts), who_(std::move(who)), position_(after) {}

    /// Writes what comes until the reader leaves, access ends, or the worker goes away.
    [[nodiscard]] awaitable<void> follow(http_body_sink* sink);

   private:
    enum class access_state { held, removed, unknown };

    [[nodiscard]] awaitable<result<>> start();
    [[nodiscard]] awaitable<access_state> check_access();
    [[nodiscard]] awaitable<result<std::string>> next_frames();
    [[nodiscard]] awaitable<result<>> wait();
    [[nodiscard]] std::string end_frame(std::string_view reason) const;

    // fixed after construction
    const stream_parts parts_;

    // touched on the loop only
    principal who_;
    std::optional<std::int64_t> position_;  ///< the last sequence it has
    std::int64_t newest_ = 0;  ///< of all organisations, when the last page was asked for
    bool has_started_ = false;
    std::string resync_;  ///< what it is told first
    monotonic_time looked_at_{};
    monotonic_time spoke_at_{};
};

awaitable<void> notice_reader::follow(http_body_sink* sink) {
    std::string first = sse_retry(*parts_.random);
    result<> written = co_await sink->write(std::move(first));
    spoke_at_ = parts_.where->now();
    while (written) {
        const access_state access = co_await check_access();
        if (access == access_state::removed) {
            written = co_await sink->write(end_frame("access_removed"));
            co_return;
        }
        std::string frames;
        if (access == access_state::held) {
            auto next = co_await next_frames();
            frames = next ? *std::move(next) : std::string{};
        }
        if (frames.empty() && parts_.notices->has_ended()) {
            written = co_await sink->write(end_frame("draining"));
            co_return;
        }
        if (frames.empty()) {
            result<> waited;
            if (access == access_state::held) {
                waited = co_await wait();
            } else {
                waited = co_await sleep_for(access_interval);
            }
            if (!waited) {
                co_return;
            }
            const bool is_silent = parts_.where->now() - spoke_at_ >= parts_.heartbeat;
            frames = is_silent ? std::string{sse_heartbeat()} : std::string{};
        }
        if (!frames.empty()) {
            written = co_await sink->write(std::move(frames));
            spoke_at_ = parts_.where->now();
        }
    }
}

/// Once an interval, and before anything is shown after it. When nobody can tell, nothing is shown.
awaitable<notice_reader::access_state> notice_reader::check_access() {
    const monotonic_time now = parts_.where->now();
    if (looked_at_ != monotonic_time{} && now < looked_at_ + access_interval) {
        co_return access_state::held;
    }
    auto still = co_await parts_.who->check_again(who_);
    if (!still) {
        co_return still.error() == errc::not_authorized ? access_state::removed
                                                        : access_state::unknown;
    }
    if (still->role < user_role::operator_ || still->organization != who_.organization) {
        co_return access_state::removed;
    }
    who_ = *std::move(still);
    looked_at_ = now;
    co_return access_state::held;
}

/// Where to begin: from now on, or behind what the reader has; what it can't have had is told as such.
awaitable<result<>> notice_reader::start() {
    ops::get_last_notice last;
    const auto newest = co_await parts_.kit->store().run(std::move(last));
    if (!newest) {
        co_return newest.error();
    }
    if (position_ && *position_ > *newest) {
        json_writer out;
        out.begin_object();
        out.key("after").integer(*newest);
        out.key("reason").string("position_unknown");
        out.end_object();
        resync_ = sse_frame(std::to_string(*newest), "resync", out.take().str());
        position_ = *newest;
    }
    position_ = position_.value_or(*newest);
    newest_ = *newest;
    co_return result<>{};
}

awaitable<result<std::string>> notice_reader::next_frames() {
    if (!has_started_) {
        const result<> started = co_await start();
        if (!started) {
            co_return started.error();
        }
        has_started_ = true;
    }
    std::string frames = std::exchange(resync_, {});
    ops::list_notices_of request{who_.organization, *position_, page_size};
    auto page = co_await parts_.kit->store().run(std::move(request));
    if (!page) {
        co_return page.error();
    }
    for (const framework_event& notice : *page) {
        json_writer out;
        write_framework_event(out, notice);
        frames += sse_frame(std::to_string(notice.sequence), "framework_event", out.take().str());
        position_ = notice.sequence;
    }
    co_return frames;
}

/// Until there may be more, access is to be looked at, or the silence has been long enough.
awaitable<result<>> notice_reader::wait() {
    const deadline until = deadline{spoke_at_ + parts_.heartbeat}.sooner(
        deadline{looked_at_ + access_interval}
    );
    const auto newest = co_await parts_.notices->beyond(newest_, until);
    if (newest) {
        newest_ = *newest;
        co_return result<>{};
    }
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted;
    }
    // The store is away for a while; the reader's position is its own.
    co_return co_await sleep_for(access_interval);
}

std::string notice_reader::end_frame(std::string_view reason) const {
    json_writer out;
    out.begin_object().key("reason").string(reason).end_object();
    return sse_frame(std::to_string(position_.value_or(0)), "end", out.take().str());
}

/// Where to go on: `Last-Event-ID` of a browser that reconnects wins over the query it was opened with.
or_problem<std::optional<std::int64_t>> position_of(const route_call& call) {
    const std::optional<std::string> text = call.text("last-event-id");
    if (!text) {
        return call.integer("after");
    }
    std::int64_t sequence = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, failed] = std::from_chars(text->data(), end, sequence);
    if (failed != std::errc{} || stopped != end || sequence < 0) {
        return validation_problem("last-event-id", boundary_reason::malformed);
    }
    return std::optional{sequence};
}

awaitable<handled> open_stream(stream_parts parts, route_call call) {
    const or_problem<std::optional<std::int64_t>> after = position_of(call);
    if (!after) {
        co_return after.error();
    }
    auto reader = std::make_shared<notice_reader>(parts, std::move(call.who), *after);
    http_stream stream = sse_stream();
    stream.produce = [reader](http_body_sink* sink) { return reader->follow(sink); };
    co_return http_answer{std::move(stream)};
}

}  // namespace

route notice_stream_route(stream_parts parts) {
    route made;
    made.pattern = "/api/v1/framework-events/stream";
    made.operation = "stream_framework_events";
    made.summary = "Notices about the engine, as they are stored (SSE)";
    made.tag = "streams";
    made.who = permission::operator_;
    made.parameters = {
        query_parameter(
            "after", schema::integer({0}), "A sequence: the id of a frame; `0` from the beginning"
        ),
        header_parameter("last-event-id", schema::text({1, 64}), "The same, as a browser sends it"),
    };
    made.answers = {{200, "Frames", std::nullopt, "text/event-stream"}};
    made.handle = [parts](route_call call) { return open_stream(parts, std::move(call)); };
    return made;
}

}  // namespace convene
