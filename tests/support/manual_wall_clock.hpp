// SPDX-License-Identifier: Apache-2.0
// A wall clock that stands still until it is moved.
#pragma once

#include "convene/time.hpp"

#include <atomic>

namespace convene {

/// *Thread safety*: `now` from any thread, as the port demands.
class manual_wall_clock final : public wall_clock {
   public:
    [[nodiscard]] wall_time now() const override { return wall_time{microseconds{since_epoch_}}; }

    void advance(microseconds span) { since_epoch_ += span.count(); }

   private:
    // 2026-01-01T00:00:00Z
    std::atomic<microseconds::rep> since_epoch_{1'767'225'600'000'000};
};

}  // namespace convene
