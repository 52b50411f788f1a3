// SPDX-License-Identifier: Apache-2.0
// When to look again at a cursor that another worker moves. No I/O: see `cursor_watch.hpp` for the driver.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <optional>

namespace convene {

/// The next look is when the index that is waited for is reached at the speed of the last one. A cursor that stands still
/// is looked at more and more seldom.
class look_pace {
   public:
    static constexpr std::chrono::milliseconds quickest{10};
    static constexpr std::chrono::milliseconds slowest{200};

    explicit look_pace(monotonic_time now) : looked_at_(now) {}

    /// Until the next look, after the cursor was seen at `delivered`. *Requires*: `nearest` lies beyond it.
    [[nodiscard]] std::chrono::milliseconds after(
        event_index delivered, event_index nearest, monotonic_time now
    );

   private:
    monotonic_time looked_at_;
    std::optional<event_index> delivered_;
};

}  // namespace convene
