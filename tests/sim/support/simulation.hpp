// SPDX-License-Identifier: Apache-2.0
// One simulated run from its seed to its verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
    std::uint64_t
        worker_steps = 0;  ///< of them, those before which a worker could have been killed
    std::size_t events = 0;
    std::size_t attempts = 0;
    int faults = 0;
};

/// Whether a seed has sessions: one in four.
[[nodiscard]] bool has_sessions(std::uint64_t seed);

struct sim_plan {
    trace_mode mode = trace_mode::off;

    /// Whether a seed that draws sessions has them. A run without them is what it was before there were any.
    bool with_sessions = false;

    /// Instead of the seed's own faults: one kill, right before this step of whichever worker takes it.
    std::optional<std::uint64_t> only_kill_at;
};

/// Runs a seed: workers, clients and faults until every client is done; then, without new faults, until nothing
/// is left to deliver; then the workers stop in order. What must hold is looked at all the time.
[[nodiscard]] sim_outcome run_simulation(std::uint64_t seed, sim_plan plan = {});

}  // namespace convene
