// SPDX-License-Identifier: Apache-2.0
// Readers of runs (A7): every frame once, in order, from any place on, on whichever worker the run is made.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/time.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "store/session_values.hpp"

namespace convene {

class conversation_store;

struct run_feed_settings {
    std::size_t recent_bytes = 256 *
                               1024;  ///< of each watched run; older frames are read from the store
    std::size_t page_frames = 500;
    std::chrono::milliseconds poll_interval{1'000
    };  ///< when nobody says that there is something new
};

/// What came next of a run.
struct run_page {
    std::vector<run_frame> frames;
    bool is_whole = false;    ///< the run has ended and nothing follows
    bool has_missed = false;  ///< frames in front of these are no longer kept
};

class run_reader;

/// The runs that somebody reads on this worker. A reader pulls: it has a position and no queue, so that a slow one costs its
/// own socket and nothing else, and never the driver.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its readers.
class run_feeds {
   public:
    run_feeds(executor& where, conversation_store& store, run_feed_settings with = {});
    ~run_feeds();

    run_feeds(const run_feeds&) = delete;
    run_feeds& operator=(const run_feeds&) = delete;

    /// Frames behind `after`; -1: from the start. *Errors*: `not_found`, store errors.
    [[nodiscard]] awaitable<result<std::unique_ptr<run_reader>>> open(
        organization_id organization, run_id run, std::int64_t after
    );

    /// Frames that were just stored here. `run` is as it is with them.
    void stored(const agent_run_record& run, const std::vector<run_frame>& frames);

    /// A run is made on another worker, and has gone on: read once for all readers.
    void look_at(const run_id& run) noexcept;

    /// Whoever may have missed something looks at everything that is read.
    void look_at_all() noexcept;

    [[nodiscard]] std::size_t readers() const noexcept { return readers_; }

   private:
    friend class run_reader;

    struct watched_run;

    void unwatch(const std::shared_ptr<watched_run>& run) noexcept;
    [[nodiscard]] awaitable<result<>> load(std::shared_ptr<watched_run> run);
    void add(watched_run& run, const std::vector<run_frame>& frames) const;

    // fixed after construction
    executor& where_;
    conversation_store& store_;
    const run_feed_settings settings_;

    // touched on the loop only
    std::size_t readers_ = 0;
    std::unordered_map<run_id, std::shared_ptr<watched_run>> runs_;
};

/// One reader of one run.
///
/// *Thread safety*: loop only; one `next` at a time. *Lifetime*: the feeds outlive it.
class run_reader {
   public:
    ~run_reader();

    run_reader(const run_reader&) = delete;
    run_reader& operator=(const run_reader&) = delete;

    /// What follows, as soon as there is something, a page at most; an empty page at `until`.
    /// *Errors*: `cancelled`, store errors (it may be called again).
    [[nodiscard]] awaitable<result<run_page>> next(deadline until);

    [[nodiscard]] std::int64_t position() const noexcept { return position_; }

   private:
    friend class run_feeds;

    run_reader(run_feeds* feeds, std::shared_ptr<run_feeds::watched_run> run, std::int64_t after);

    [[nodiscard]] bool take_recent(run_page* page);
    [[nodiscard]] awaitable<result<>> take_stored(run_page* page);

    run_feeds& feeds_;
    const std::shared_ptr<run_feeds::watched_run> run_;
    std::int64_t position_;
};

}  // namespace convene
