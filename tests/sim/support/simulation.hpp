// SPDX-License-Identifier: Apache-2.0
// One simulated run from its seed to its verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/support/world.hpp"

namespace convene {

struct sim_outcome {
    std::uint64_t seed = 0;
    std::vector<std::string> failures;  ///< empty: every promise was kept
    std::vector<std::string> trace;     ///< with `trace_mode::on`
    std::uint64_t trace_hash = 0;

    // how much was tried
    std::uint64_t steps = 0;
    std::size_t events = 0;
    std::size_t attempts = 0;
    int faults = 0;
};

/// Runs a seed: workers, clients and faults until every client is done; then, without new faults, until nothing
/// is left to deliver; then the workers stop in order. What must hold is looked at all the time.
[[nodiscard]] sim_outcome run_simulation(std::uint64_t seed, trace_mode mode = trace_mode::off);

}  // namespace convene
