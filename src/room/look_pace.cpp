// SPDX-License-Identifier: Apache-2.0
// Look pace: how long until the next look.
#include "room/look_pace.hpp"

#include <algorithm>
#include <utility>

namespace convene {

std::chrono::milliseconds look_pace::after(
    event_index delivered, event_index nearest, monotonic_time now
) {
    using std::chrono::milliseconds;
    const auto took = std::chrono::ceil<milliseconds>(now - std::exchange(looked_at_, now));
    const event_index before = std::exchange(delivered_, delivered).value_or(delivered);
    if (delivered <= before) {
        return std::clamp(took * 2, quickest, slowest);
    }
    const std::int64_t ahead = nearest.value() - delivered.value();
    const std::int64_t moved = delivered.value() - before.value();
    return std::clamp(milliseconds{took.count() * ahead / moved}, quickest, slowest);
}

}  // namespace convene
