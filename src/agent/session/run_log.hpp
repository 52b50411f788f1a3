// SPDX-License-Identifier: Apache-2.0
// The streams of the runs that this worker makes (A7): stored before they are sent, by one flush for all of them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/agui/agui_encoder.hpp"
#include "agent/session/run_feed.hpp"
#include "store/operations/sessions.hpp"
#include "store/session_values.hpp"

namespace convene {

struct run_log_settings {
    std::chrono::milliseconds flush_interval{40};      ///< from what was said first to its storing
    std::size_t flush_bytes = 64 * 1024;               ///< of all runs: sooner then
    std::size_t most_waiting = 1024 * 1024;            ///< of one run: beyond it its driver waits
    std::chrono::milliseconds patience{8'000};         ///< with a store that does not take them
    std::chrono::milliseconds announce_interval{200};  ///< of one run, to other workers
};

class run_stream;

/// Collects what runs say, and stores it: however many runs there are, a flush is one transaction. Readers of this worker
/// are told of each flush, those of others by `announce`.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its streams; `stop` before it is destroyed.
class run_log {
   public:
    using announcer = std::function<void(const agent_run_record& run)>;

    run_log(
        executor& where,
        conversation_store& store,
        run_feeds& feeds,
        announcer announce,
        run_log_settings with = {}
    );
    ~run_log();

    run_log(const run_log&) = delete;
    run_log& operator=(const run_log&) = delete;

    /// The stream of a run that begins here, or goes on: `encoder` has taken what is stored of it.
    [[nodiscard]] std::shared_ptr<run_stream> open(agent_run_record run, agui_encoder encoder);

    /// Frames that somebody else than a stream of this log has stored: its readers see them.
    void tell_of(const agent_run_record& run, const std::vector<run_frame>& frames);

    /// How many readers are on other workers is not known here: they are told now and then, and of every end.
    void announce(const agent_run_record& run) const;

    /// Stores what is waiting and no more. Its streams say nothing any longer.
    [[nodiscard]] awaitable<void> stop();

    /// Since the start.
    struct tally {
        std::uint64_t flushes = 0;  ///< transactions
        std::uint64_t frames = 0;   ///< stored, as are the bytes
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] const tally& counted() const noexcept { return counted_; }

   private:
    friend class run_stream;

    void note_waiting(std::size_t bytes);
    [[nodiscard]] awaitable<void> keep_flushing();
    [[nodiscard]] std::vector<std::shared_ptr<run_stream>> take_waiting();
    [[nodiscard]] awaitable<void> flush();
    [[nodiscard]] awaitable<result<std::vector<run_id>>> store(ops::append_frames request);

    // fixed after construction
    executor& where_;
    conversation_store& store_;
    run_feeds& feeds_;
    const announcer announce_;
    const run_log_settings settings_;

    // touched on the loop only
    std::vector<std::shared_ptr<run_stream>>
        waiting_;  ///< have said something since the last flush
    std::size_t waiting_bytes_ = 0;
    tally counted_;
    wait_flag something_;
    wait_flag enough_;

    // the last member: its task uses the others
    task_scope scope_;
};

/// What one run says.
///
/// *Thread safety*: loop only. *Lifetime*: shared by its driver and the log.
class run_stream : public std::enable_shared_from_this<run_stream> {
   public:
    run_stream(run_log* log, agent_run_record run, agui_encoder encoder);

    /// Queues it. Waits while too much is queued. *Errors*: those that made the stream end: `driver_fenced`, store errors;
    /// `cancelled`.
    [[nodiscard]] awaitable<result<>> say(run_event event);

    /// Waits until all that was said is stored. *Errors*: as `say`.
    [[nodiscard]] awaitable<result<>> flushed();

    /// The last that is said, stored together with the run's end. `how` needs no frames. *Errors*: as `say`, and those of
    /// `end_run`.
    [[nodiscard]] awaitable<result<agent_run_record>> end(ops::end_run how, run_event last);

    [[nodiscard]] const agent_run_record& run() const noexcept { return run_; }

    /// Of what it said here; unset: nothing is stored yet.
    [[nodiscard]] std::optional<monotonic_time> first_stored_at() const noexcept {
        return first_stored_at_;
    }

   private:
    friend class run_log;

    [[nodiscard]] std::vector<run_frame> take_frames();
    void append(std::vector<run_frame>* to, const run_event& event);
    void stored(std::vector<run_frame> frames);
    void fail(error_code why);

    // fixed after construction
    run_log& log_;

    // touched on the loop only
    agent_run_record run_;
    agui_encoder encoder_;
    std::vector<run_event> said_;  ///< not yet encoded: pieces of one message are joined
    std::size_t said_bytes_ = 0;
    std::int64_t next_ = 0;
    bool is_queued_ = false;  ///< stands in `waiting_`
    bool is_being_stored_ = false;
    monotonic_time announced_at_{};
    std::optional<monotonic_time> first_stored_at_;
    error_code failure_;
    wait_flag changed_;
};

}  // namespace convene
