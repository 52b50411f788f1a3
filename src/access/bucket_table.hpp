// SPDX-License-Identifier: Apache-2.0
// Token buckets by key, in bounded memory.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace convene {

struct bucket_settings {
    int burst = 10;                     ///< what a full bucket holds
    std::chrono::nanoseconds refill{};  ///< the time in which one comes back
    std::size_t most_keys = 10'000;  ///< beyond that, the bucket that is full soonest is forgotten
};

/// A bucket is known by the time at which it is full again; one that is full needs no entry.
///
/// *Thread safety*: loop only. *Complexity*: O(log keys).
class bucket_table {
   public:
    explicit bucket_table(bucket_settings settings) : settings_(settings) {}

    /// Takes one from the bucket of the key. Zero if there was one; else how long until there is, and nothing is
    /// taken.
    [[nodiscard]] std::chrono::nanoseconds take(std::string_view key, monotonic_time now);

    /// How long until the bucket has one.
    [[nodiscard]] std::chrono::nanoseconds wait_of(std::string_view key, monotonic_time now) const;

    /// Puts one back that was taken.
    void give_back(std::string_view key);

    /// The bucket is full again.
    void refill(std::string_view key);

    [[nodiscard]] std::size_t size() const noexcept { return full_at_.size(); }

   private:
    void put(const std::string& key, monotonic_time full_at);
    void forget_full(monotonic_time now);

    bucket_settings settings_;
    std::unordered_map<std::string, monotonic_time> full_at_;
    std::set<std::pair<monotonic_time, std::string>> soonest_full_;
};

}  // namespace convene
