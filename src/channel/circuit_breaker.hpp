// SPDX-License-Identifier: Apache-2.0
// The circuit breaker: stops sending to a destination that keeps failing, and tries it again with
// one probe.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace convene {

enum class breaker_edge : std::uint8_t { opened, closed };

/// The breaker of one destination. Closed, it lets everything through; after five failures in a row
/// it opens for a minute; then one attempt at a time may probe, and its outcome closes it or opens
/// it for another minute.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its permits; `is_idle` is false while one is
/// out.
class circuit_breaker {
   public:
    static constexpr std::int32_t failures_to_open = 5;
    static constexpr std::chrono::seconds open_for{60};
    /// After how long those who are kept out by somebody else's probe look again.
    static constexpr std::chrono::seconds probe_patience{1};
    /// How long a breaker that nobody asks is remembered.
    static constexpr std::chrono::hours remembered_for{1};

    /// Leave to make one attempt. One that is dropped without an outcome (a cancelled attempt)
    /// proves nothing: it counts for neither side, and a probe's place is free again.
    class [[nodiscard]] permit {
       public:
        permit(permit&& other) noexcept;
        permit& operator=(permit&&) = delete;
        ~permit();

        void succeeded() noexcept;
        void failed(monotonic_time now) noexcept;

       private:
        friend class circuit_breaker;
        enum class role : std::uint8_t { ordinary, probe };

        permit(circuit_breaker& owner, role as) noexcept;
        void end() noexcept;

        circuit_breaker* owner_;  ///< null once it has an outcome
        role role_;
    };

    circuit_breaker() = default;
    circuit_breaker(const circuit_breaker&) = delete;
    circuit_breaker& operator=(const circuit_breaker&) = delete;

    /// From when on an attempt is worth asking for; not after `now` if one may start at once.
    [[nodiscard]] monotonic_time ready_at(monotonic_time now) const noexcept;

    /// *Requires*: `ready_at(now) <= now`.
    permit admit(monotonic_time now) noexcept;

    /// The changes that nobody was told of yet, oldest first; two at most.
    [[nodiscard]] std::vector<breaker_edge> take_edges() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return open_until_.has_value(); }

    [[nodiscard]] bool is_probing() const noexcept { return is_probing_; }

    /// True if forgetting it makes no difference, or if it was not asked for `remembered_for`.
    [[nodiscard]] bool is_idle(monotonic_time now) const noexcept;

   private:
    void on_success(permit::role from) noexcept;
    void on_failure(permit::role from, monotonic_time now) noexcept;

    std::int32_t failures_ = 0;  ///< in a row, while closed
    std::optional<monotonic_time> open_until_;
    bool is_probing_ = false;
    std::int32_t permits_out_ = 0;
    monotonic_time asked_at_{};
    std::vector<breaker_edge> untold_;
};

}  // namespace convene
