// SPDX-License-Identifier: Apache-2.0
// The store's time as a worker knows it: its own clock, corrected by what the store said.
#pragma once

#include "convene/time.hpp"

namespace convene {

/// Points in time that other workers will compare are made with this clock: the machine's may be wrong by hours
/// (O4). Good to the length of a round trip. *Thread safety*: loop only.
class store_clock final : public wall_clock {
   public:
    explicit store_clock(const wall_clock& local) : local_(local) {}

    [[nodiscard]] wall_time now() const override { return local_.now() + ahead_; }

    /// The store has just said what time it is.
    void set(wall_time said) { ahead_ = said - local_.now(); }

   private:
    const wall_clock& local_;
    wall_time::duration ahead_{};
};

}  // namespace convene
