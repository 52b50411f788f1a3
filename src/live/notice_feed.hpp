// SPDX-License-Identifier: Apache-2.0
// Who reads framework events waits here for the next: one look at the store for all of them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/time.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstdint>

namespace convene {

class conversation_store;

struct notice_feed_settings {
    std::chrono::milliseconds look_interval{500};  ///< while anybody waits
};

/// Knows how far the framework events of a deployment go. Readers pull: nothing is kept for them, whatever they
/// do. Events that other workers store are seen too, because the store is what is looked at.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its waits; the store outlives it.
class notice_feed {
   public:
    notice_feed(conversation_store& store, notice_feed_settings with)
        : store_(store), settings_(with) {}

    notice_feed(const notice_feed&) = delete;
    notice_feed& operator=(const notice_feed&) = delete;

    /// The newest sequence, waiting until it is beyond `after`; at `until`, or when this worker goes away, it
    /// may not be. *Errors*: `cancelled`, `timed_out` (an outer deadline), the store's.
    [[nodiscard]] awaitable<result<std::int64_t>> beyond(std::int64_t after, deadline until);

    /// This worker goes away: nobody waits any more.
    void end_all() noexcept;

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

   private:
    [[nodiscard]] awaitable<result<>> look();

    // fixed after construction
    conversation_store& store_;
    const notice_feed_settings settings_;

    // touched on the loop only
    std::int64_t newest_ = -1;  ///< before the first look
    monotonic_time looked_at_{};
    bool has_ended_ = false;
    wait_flag changed_;  ///< notified, never set
};

}  // namespace convene
