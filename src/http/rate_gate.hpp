// SPDX-License-Identifier: Apache-2.0
// How many requests a caller may send: a token bucket for each.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

namespace convene {

struct rate_gate_settings {
    double per_second = 50;
    double burst = 200;
    std::size_t max_callers = 20'000;  ///< buckets kept; full ones are forgotten first
};

/// People and addresses type, programs post: each has its own rate.
struct rate_limits {
    rate_gate_settings users{};  ///< also for whoever is not signed in, by address
    rate_gate_settings tokens{2'000, 4'000};
};

/// *Thread safety*: loop only.
class rate_gate {
   public:
    explicit rate_gate(rate_gate_settings with) : settings_(with) {}

    /// Takes one request from the caller's bucket: nothing if there was one, else how long to wait.
    [[nodiscard]] std::optional<std::chrono::seconds> take(
        const std::string& caller, monotonic_time now
    );

   private:
    struct bucket {
        double level = 0;
        monotonic_time at{};
    };

    void refill(bucket* one, monotonic_time now) const;
    void forget_full(monotonic_time now);

    rate_gate_settings settings_;
    std::unordered_map<std::string, bucket> buckets_;
};

}  // namespace convene
