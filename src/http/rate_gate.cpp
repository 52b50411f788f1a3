// SPDX-License-Identifier: Apache-2.0
// The rate gate.
#include "http/rate_gate.hpp"

#include <algorithm>
#include <cmath>

namespace convene {

void rate_gate::refill(bucket* one, monotonic_time now) const {
    const std::chrono::duration<double> passed = now - one->at;
    one->level = std::min(settings_.burst, one->level + passed.count() * settings_.per_second);
    one->at = now;
}

void rate_gate::forget_full(monotonic_time now) {
    for (auto& [caller, one] : buckets_) {
        refill(&one, now);
    }
    std::erase_if(buckets_, [&](const auto& entry) {
        return entry.second.level >= settings_.burst;
    });
    if (buckets_.size() >= settings_.max_callers) {
        // So many busy callers at once: memory is bounded before fairness is exact.
        buckets_.clear();
    }
}

std::optional<std::chrono::seconds> rate_gate::take(const std::string& caller, monotonic_time now) {
    if (buckets_.size() >= settings_.max_callers && !buckets_.contains(caller)) {
        forget_full(now);
    }
    bucket& mine = buckets_.try_emplace(caller, bucket{settings_.burst, now}).first->second;
    refill(&mine, now);
    if (mine.level >= 1) {
        mine.level -= 1;
        return std::nullopt;
    }
    const double wait = (1 - mine.level) / settings_.per_second;
    return std::chrono::seconds{static_cast<std::int64_t>(std::ceil(wait))};
}

}  // namespace convene
