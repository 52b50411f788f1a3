// SPDX-License-Identifier: Apache-2.0
// The rate limiter: when the next delivery to a destination may start, so that all its limits hold.
#pragma once

#include "convene/room.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace convene {

/// One limit: at most `count` in any `span`.
struct rate_window {
    std::size_t count = 1;
    std::chrono::nanoseconds span{};

    friend bool operator==(const rate_window&, const rate_window&) = default;
};

/// The limits that are set, as windows. A rate below one is one delivery in a longer span (0.5 a
/// second: one in two seconds); a fractional one is its whole part in the span that gives the same
/// rate; one above 1024 is 1024 in a shorter span, which bounds what has to be remembered. A rate
/// that is no positive number is the smallest there is, a thousandth: a limit never means "drop".
[[nodiscard]] std::vector<rate_window> windows_of(const rate_limit& limit);

/// The starts of deliveries to one destination.
///
/// A place is given out in advance, in the order of asking, at the first point in time where every
/// window has room. So a burst up to a limit goes at once, and no window ever holds more than its
/// count. It remembers the starts themselves: a bucket that refills would let twice the limit
/// through around a full burst. *Thread safety*: loop only. *Lifetime*: outlives its slots;
/// `is_idle` is false while one is out.
class rate_limiter {
   public:
    /// A place in line. Dropped unused, its start is free again unless somebody has a later one
    /// already.
    class [[nodiscard]] slot {
       public:
        slot(slot&& other) noexcept;
        slot& operator=(slot&&) = delete;
        ~slot();

        [[nodiscard]] monotonic_time at() const noexcept { return at_; }

        /// The delivery starts now.
        void use() noexcept;

       private:
        friend class rate_limiter;

        slot(rate_limiter& owner, monotonic_time at) noexcept;

        rate_limiter* owner_;  ///< null once it is used
        monotonic_time at_;
    };

    rate_limiter() = default;
    rate_limiter(const rate_limiter&) = delete;
    rate_limiter& operator=(const rate_limiter&) = delete;

    /// When the next slot would be.
    [[nodiscard]] monotonic_time next_free(
        const std::vector<rate_window>& windows, monotonic_time now
    ) const noexcept;

    /// Takes that slot.
    slot take(const std::vector<rate_window>& windows, monotonic_time now);

    /// True if forgetting it makes no difference.
    [[nodiscard]] bool is_idle(monotonic_time now) const noexcept;

   private:
    void forget_old(monotonic_time now) noexcept;
    void give_back(monotonic_time at) noexcept;

    std::deque<monotonic_time> starts_;  ///< ascending; the last ones, up to the highest count
    std::chrono::nanoseconds longest_span_{};  ///< seen so far
    std::size_t slots_out_ = 0;
};

}  // namespace convene
