// SPDX-License-Identifier: Apache-2.0
// convene_sim: runs seeds of the simulation, replays one, and proves that deliberate defects are found.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runner.hpp"

namespace {

constexpr std::string_view usage = R"(usage: convene_sim [options]
  --seeds M        run M seeds (2000), after the ones that once failed
  --from N         the first of them (1)
  --jobs J         in J processes (1)
  --sessions       agent sessions: of the numbers from N on, M that draw some; otherwise seeds run without them
  --seed N         run one seed; on a failure its trace is printed
  --trace          with --seed: print the trace in any case
  --every-step     run each seed without its own faults, once for every step of its workers, and kill the
                   worker before that step
  --mutants        find each deliberate defect (needs a build with CONVENE_MUTANTS)
  --list-faults    after the seeds, list the fault marks that none of them reached
)";

/// The number behind an option; ends the program if there is none.
std::uint64_t number_after(const std::vector<std::string_view>& words, std::size_t option) {
    const std::string text{option + 1 < words.size() ? words[option + 1] : ""};
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0') {
        std::cerr << fmt::format("convene_sim: {} needs a number\n", words[option]);
        std::exit(2);
    }
    return number;
}

convene::sim_options parse(const std::vector<std::string_view>& words) {
    convene::sim_options options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "--seeds") {
            options.seeds = number_after(words, i++);
        } else if (word == "--from") {
            options.from = number_after(words, i++);
        } else if (word == "--jobs") {
            options.jobs = number_after(words, i++);
        } else if (word == "--sessions") {
            options.only_sessions = true;
        } else if (word == "--seed") {
            options.only = number_after(words, i++);
        } else if (word == "--trace") {
            options.trace = convene::trace_mode::on;
        } else if (word == "--every-step") {
            options.what = convene::sim_task::kill_at_every_step;
        } else if (word == "--mutants") {
            options.what = convene::sim_task::find_mutants;
        } else if (word == "--list-faults") {
            options.lists_fault_marks = true;
        } else {
            std::cerr << usage;
            std::exit(word == "--help" ? 0 : 2);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    return convene::run_sim(parse(words));
}
