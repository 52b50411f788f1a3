// SPDX-License-Identifier: Apache-2.0
// Running many seeds: in order or in several processes, and until a deliberate defect shows.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/support/world.hpp"

namespace convene {

enum class sim_task : std::uint8_t {
    run_seeds,
    kill_at_every_step,  ///< each seed without its faults, once for each step, with a kill before it
    find_mutants,
};

struct sim_options {
    sim_task what = sim_task::run_seeds;
    std::uint64_t seeds = 2000;
    std::uint64_t from = 1;
    std::uint64_t jobs = 1;
    std::optional<std::uint64_t> only;
    trace_mode trace = trace_mode::off;
    bool only_sessions = false;  ///< of the seeds, those that have some
    bool lists_fault_marks = false;
};

/// Does what is asked and prints it; the exit code of the program.
[[nodiscard]] int run_sim(const sim_options& options);

}  // namespace convene
