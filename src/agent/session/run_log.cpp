// SPDX-License-Identifier: Apache-2.0
// Run log: what is said is joined, encoded at the flush, stored, and only then shown.
#include "agent/session/run_log.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/mutant.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::chrono::milliseconds between_tries{100};

/// What an event adds to a stream besides its piece of text, about.
constexpr std::size_t bytes_around = 96;

std::size_t size_of(const run_event& event) {
    if (const auto* text = std::get_if<run_events::text>(&event)) {
        return text->piece.size();
    }
    if (const auto* thinking = std::get_if<run_events::thinking>(&event)) {
        return thinking->piece.size();
    }
    if (const auto* arguments = std::get_if<run_events::call_arguments>(&event)) {
        return arguments->piece.size();
    }
    if (const auto* result = std::get_if<run_events::call_result>(&event)) {
        return bytes_around + result->text.size();
    }
    return bytes_around;
}

/// Adds a piece to the one before it, where both are of the same message or call.
bool join(run_event* before, const run_event& next) {
    if (auto* text = std::get_if<run_events::text>(before)) {
        const auto* more = std::get_if<run_events::text>(&next);
        if (more != nullptr && more->message == text->message) {
            text->piece += more->piece;
            return true;
        }
    }
    if (auto* thinking = std::get_if<run_events::thinking>(before)) {
        const auto* more = std::get_if<run_events::thinking>(&next);
        if (more != nullptr && more->message == thinking->message) {
            thinking->piece += more->piece;
            return true;
        }
    }
    if (auto* arguments = std::get_if<run_events::call_arguments>(before)) {
        const auto* more = std::get_if<run_events::call_arguments>(&next);
        if (more != nullptr && more->call == arguments->call) {
            arguments->piece += more->piece;
            return true;
        }
    }
    return false;
}

/// It may pass by itself, and saying it again does no harm.
bool may_pass(error_code failure) {
    return failure != errc::incarnation_dead &&
           (failure == condition::retryable || failure == condition::outcome_unknown);
}

}  // namespace

// ---- the flush -------------------------------------------------------------------------------------------

run_log::run_log(
    executor& where,
    conversation_store& store,
    run_feeds& feeds,
    announcer announce,
    run_log_settings with
)
    : where_(where),
      store_(store),
      feeds_(feeds),
      announce_(std::move(announce)),
      settings_(with),
      scope_(where) {
    scope_.spawn("run log", keep_flushing());
}

run_log::~run_log() = default;

std::shared_ptr<run_stream> run_log::open(agent_run_record run, agui_encoder encoder) {
    return std::make_shared<run_stream>(this, std::move(run), std::move(encoder));
}

void run_log::tell_of(const agent_run_record& run, const std::vector<run_frame>& frames) {
    feeds_.stored(run, frames);
    announce(run);
}

void run_log::announce(const agent_run_record& run) const {
    if (announce_) {
        announce_(run);
    }
}

awaitable<void> run_log::stop() {
    scope_.request_stop();
    co_await shielded(scope_.join());
    while (!waiting_.empty()) {
        co_await shielded(flush());
    }
}

void run_log::note_waiting(std::size_t bytes) {
    waiting_bytes_ += bytes;
    something_.set();
    if (waiting_bytes_ >= settings_.flush_bytes) {
        enough_.set();
    }
}

awaitable<void> run_log::keep_flushing() {
    for (;;) {
        const result<> said = co_await something_.wait();
        if (!said) {
            co_return;
        }
        const deadline full{where_.now() + settings_.flush_interval};
        auto waiting = until_set(&enough_);
        const result<> waited = co_await with_deadline(full, std::move(waiting));
        if (!waited && waited.error() != errc::timed_out) {
            co_return;
        }
        co_await shielded(flush());
    }
}

/// What is stored next: of each run one stream. Another driver of the same run, on this worker as well, has its turn in the next
/// batch: the answer names runs, and only one of the two has the epoch.
std::vector<std::shared_ptr<run_stream>> run_log::take_waiting() {
    std::vector<std::shared_ptr<run_stream>> taken;
    std::vector<std::shared_ptr<run_stream>> left;
    for (std::shared_ptr<run_stream>& stream : waiting_) {
        const bool is_twice = std::ranges::any_of(taken, [&stream](const auto& one) {
            return one->run_.id == stream->run_.id;
        });
        (is_twice ? left : taken).push_back(std::move(stream));
    }
    waiting_ = std::move(left);
    waiting_bytes_ = 0;
    something_.reset();
    enough_.reset();
    if (!waiting_.empty()) {
        something_.set();
    }
    return taken;
}

awaitable<void> run_log::flush() {
    const std::vector<std::shared_ptr<run_stream>> streams = take_waiting();
    ops::append_frames request;
    request.runs.reserve(streams.size());
    for (const std::shared_ptr<run_stream>& stream : streams) {
        stream->is_queued_ = false;
        stream->is_being_stored_ = true;
        request.runs.push_back(
            {stream->run_.room, stream->run_.id, stream->run_.epoch, stream->take_frames()}
        );
    }
    ops::append_frames sent = request;
    const auto refused = co_await store(std::move(sent));
    for (std::size_t i = 0; i < streams.size(); ++i) {
        run_stream& stream = *streams[i];
        stream.is_being_stored_ = false;
        if (!refused) {
            stream.fail(refused.error());
        } else if (std::ranges::find(*refused, stream.run_.id) != refused->end()) {
            stream.fail(errc::driver_fenced);
        } else {
            stream.stored(std::move(request.runs[i].frames));
        }
    }
}

/// Until it is stored, for as long as the driver could still have its lease.
awaitable<result<std::vector<run_id>>> run_log::store(ops::append_frames request) {
    const deadline until{where_.now() + settings_.patience};
    for (;;) {
        ++counted_.flushes;
        ops::append_frames sent = request;
        auto refused = co_await store_.run(std::move(sent));
        const bool is_final = refused || !may_pass(refused.error());
        if (is_final || until.has_passed(where_.now())) {
            co_return refused;
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return slept.error();
        }
    }
}

// ---- one stream ------------------------------------------------------------------------------------------

run_stream::run_stream(run_log* log, agent_run_record run, agui_encoder encoder)
    : log_(*log), run_(std::move(run)), encoder_(std::move(encoder)), next_(run_.next_frame) {}

awaitable<result<>> run_stream::say(run_event event) {
    while (said_bytes_ > log_.settings_.most_waiting && !failure_) {
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    if (failure_) {
        co_return failure_;
    }
    const std::size_t bytes = size_of(event);
    said_bytes_ += bytes;
    if (said_.empty() || !join(&said_.back(), event)) {
        said_.push_back(std::move(event));
    }
    if (!is_queued_) {
        is_queued_ = true;
        log_.waiting_.push_back(shared_from_this());
    }
    log_.note_waiting(bytes);
    co_return result<>{};
}

awaitable<result<>> run_stream::flushed() {
    while ((is_queued_ || is_being_stored_) && !failure_) {
        log_.enough_.set();
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    co_return failure_ ? result<>{failure_} : result<>{};
}

awaitable<result<agent_run_record>> run_stream::end(ops::end_run how, run_event last) {
    const result<> before = co_await flushed();
    if (!before) {
        co_return before.error();
    }
    append(&how.last_frames, last);
    if (CONVENE_MUTANT("end_is_told_first")) {
        log_.feeds_.stored(run_, how.last_frames);
    }
    const deadline until{log_.where_.now() + log_.settings_.patience};
    for (;;) {
        ops::end_run sent = how;
        auto ended = co_await shielded(log_.store_.run(std::move(sent)));
        if (ended) {
            run_ = *ended;
            stored(std::move(how.last_frames));
            co_return ended;
        }
        if (!may_pass(ended.error()) || until.has_passed(log_.where_.now())) {
            fail(ended.error());
            co_return ended.error();
        }
        const result<> slept = co_await shielded(sleep_for(between_tries));
        static_cast<void>(slept);  // bounded by the deadline above
    }
}

std::vector<run_frame> run_stream::take_frames() {
    std::vector<run_frame> frames;
    for (const run_event& event : std::exchange(said_, {})) {
        append(&frames, event);
    }
    said_bytes_ = 0;
    return frames;
}

void run_stream::append(std::vector<run_frame>* to, const run_event& event) {
    for (std::string& data : encoder_.encode(event)) {
        to->push_back({next_++, std::move(data)});
    }
}

void run_stream::stored(std::vector<run_frame> frames) {
    run_.next_frame = next_;
    for (const run_frame& frame : frames) {
        ++log_.counted_.frames;
        log_.counted_.bytes += frame.data.size();
    }
    log_.feeds_.stored(run_, frames);
    const monotonic_time now = log_.where_.now();
    if (!first_stored_at_) {
        first_stored_at_ = now;
    }
    if (run_.is_stream_over || now - announced_at_ >= log_.settings_.announce_interval) {
        announced_at_ = now;
        log_.announce(run_);
    }
    changed_.notify_all();
}

void run_stream::fail(error_code why) {
    if (!failure_) {
        log(log_level::warn,
            "run.stream_not_stored",
            {{"run", run_.id.str()}, {"error", why.message()}});
        failure_ = why;
    }
    changed_.notify_all();
}

}  // namespace convene
