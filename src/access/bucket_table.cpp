// SPDX-License-Identifier: Apache-2.0
// Token buckets: each is one point in time, and those that matter least are forgotten first.
#include "access/bucket_table.hpp"

#include <algorithm>

namespace convene {

using std::chrono::nanoseconds;

nanoseconds bucket_table::wait_of(std::string_view key, monotonic_time now) const {
    const auto known = full_at_.find(std::string{key});
    if (known == full_at_.end()) {
        return nanoseconds::zero();
    }
    const monotonic_time after_one = std::max(known->second, now) + settings_.refill;
    return std::max(after_one - now - settings_.burst * settings_.refill, nanoseconds::zero());
}

nanoseconds bucket_table::take(std::string_view key, monotonic_time now) {
    const nanoseconds wait = wait_of(key, now);
    if (wait > nanoseconds::zero()) {
        return wait;
    }
    const std::string owned{key};
    const auto known = full_at_.find(owned);
    const monotonic_time was_full_at = known == full_at_.end() ? now : known->second;
    refill(key);
    forget_full(now);
    put(owned, std::max(was_full_at, now) + settings_.refill);
    return nanoseconds::zero();
}

void bucket_table::give_back(std::string_view key) {
    const auto known = full_at_.find(std::string{key});
    if (known != full_at_.end()) {
        const monotonic_time full_at = known->second - settings_.refill;
        refill(key);
        put(std::string{key}, full_at);
    }
}

void bucket_table::refill(std::string_view key) {
    const auto known = full_at_.find(std::string{key});
    if (known != full_at_.end()) {
        soonest_full_.erase({known->second, known->first});
        full_at_.erase(known);
    }
}

void bucket_table::put(const std::string& key, monotonic_time full_at) {
    if (full_at_.size() >= settings_.most_keys && !soonest_full_.empty()) {
        full_at_.erase(soonest_full_.begin()->second);
        soonest_full_.erase(soonest_full_.begin());
    }
    full_at_.emplace(key, full_at);
    soonest_full_.emplace(full_at, key);
}

void bucket_table::forget_full(monotonic_time now) {
    while (!soonest_full_.empty() && soonest_full_.begin()->first <= now) {
        full_at_.erase(soonest_full_.begin()->second);
        soonest_full_.erase(soonest_full_.begin());
    }
}

}  // namespace convene
