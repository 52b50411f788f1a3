// SPDX-License-Identifier: Apache-2.0
// The two kinds of time: wall time that is stored, and monotonic time that is waited for.
#pragma once

#include "convene/error.hpp"

#include <chrono>
#include <compare>
#include <string>
#include <string_view>

namespace convene {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Microseconds since 1970-01-01 UTC. Where workers compare times it is the store's clock that made them.
using wall_time = std::chrono::time_point<std::chrono::system_clock, microseconds>;

/// Time of one process that never jumps; only differences mean anything.
using monotonic_time = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

/// RFC 3339 in UTC with microseconds, always ending in `Z`: `2026-01-31T09:05:00.000000Z`.
[[nodiscard]] std::string format_rfc3339(wall_time t);

/// Parses RFC 3339 with any offset and 0 to 9 fraction digits (cut to microseconds).
[[nodiscard]] result<wall_time> parse_rfc3339(std::string_view text);

/// Where wall time comes from. *Thread safety*: `now` may be called from any thread.
class wall_clock {
   public:
    virtual ~wall_clock() = default;
    [[nodiscard]] virtual wall_time now() const = 0;
};

/// The system's clock. The object lives for the whole process.
[[nodiscard]] const wall_clock& system_wall_clock();

/// Until when an operation may wait. One call has one deadline, handed down unchanged.
class deadline {
   public:
    constexpr explicit deadline(monotonic_time at) : at_(at) {}

    [[nodiscard]] static constexpr deadline never() { return deadline{monotonic_time::max()}; }

    [[nodiscard]] constexpr monotonic_time at() const noexcept { return at_; }

    [[nodiscard]] constexpr bool has_passed(monotonic_time now) const noexcept {
        return now >= at_;
    }

    [[nodiscard]] constexpr deadline sooner(deadline other) const noexcept {
        return at_ < other.at_ ? *this : other;
    }

    friend constexpr auto operator<=>(deadline, deadline) = default;

   private:
    monotonic_time at_;
};

}  // namespace convene
