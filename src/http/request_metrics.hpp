// SPDX-License-Identifier: Apache-2.0
// Counts and durations of requests by route, and the text form that Prometheus reads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace convene {

/// Writes the text form (version 0.0.4): families one after the other, each with its samples.
///
/// Written here: the form is a few lines, and our figures are read from their owners when they are asked for,
/// which a registry of a library would have to keep a second time.
class metrics_text {
   public:
    using labels = std::vector<std::pair<std::string_view, std::string>>;

    void family(std::string_view name, std::string_view type, std::string_view help);
    void sample(std::string_view name, const labels& with, double value);

    [[nodiscard]] std::string take() { return std::move(out_); }

   private:
    std::string out_;
};

/// *Thread safety*: loop only.
class request_metrics {
   public:
    /// `route` is a pattern, not a path: the number of series is bounded.
    void count(
        std::string_view method, std::string_view route, int status, std::chrono::microseconds took
    );

    void write(metrics_text& out) const;

   private:
    static constexpr std::array bounds{
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0
    };

    struct durations {
        std::array<std::uint64_t, bounds.size()> up_to{};
        std::uint64_t all = 0;
        double seconds = 0;
    };

    std::map<std::tuple<std::string, std::string, int>, std::uint64_t, std::less<>> answers_;
    std::map<std::string, durations, std::less<>> durations_;
};

}  // namespace convene
