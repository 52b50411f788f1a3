// SPDX-License-Identifier: Apache-2.0
// R11: counts what calls to others cause, so that no hook makes more events than its part of a cascade's budget.
#pragma once

#include "convene/cause.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

namespace convene {

/// What is left of each call's budget. The budget itself travels with the call; who took how much of it is known
/// to the worker that was asked, and not beyond its end: the chain's depth bounds a cascade there too.
///
/// *Thread safety*: loop only.
class cause_ledger {
   public:
    /// Takes the part of one event out of the call's budget: the event itself, and half of the rest for what it
    /// causes in turn. Answers that half; below 0 the event is more than the call may cause.
    [[nodiscard]] std::int32_t take(const event_cause& cause);

   private:
    static constexpr std::size_t max_calls = 4096;  ///< the oldest is forgotten

    std::unordered_map<std::string, std::int32_t> left_;
    std::deque<std::string> oldest_first_;
};

}  // namespace convene
