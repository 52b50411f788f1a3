// SPDX-License-Identifier: Apache-2.0
// Seeds one after the other, the corpus first; the trace of the first that fails; the search for mutants.
#include "sim/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/fault.hpp"
#include "base/mutant.hpp"
#include "sim/support/simulation.hpp"

namespace convene {

namespace {

/// Every so many seeds one is run twice: the second run must be the same, or no failure could be replayed.
constexpr std::uint64_t seeds_per_repetition = 100;

struct totals {
    std::uint64_t seeds = 0;
    std::uint64_t steps = 0;
    std::uint64_t events = 0;
    std::uint64_t attempts = 0;
    std::uint64_t faults = 0;

    void add(const sim_outcome& run) {
        ++seeds;
        steps += run.steps;
        events += run.events;
        attempts += run.attempts;
        faults += static_cast<std::uint64_t>(run.faults);
    }
};

void say(const std::string& line) { std::cout << line << std::endl; }

void print_failures(const sim_outcome& run) {
    for (const std::string& failure : run.failures) {
        say(fmt::format("seed {}: {}", run.seed, failure));
    }
}

void print_trace(const sim_outcome& run) {
    for (const std::string& line : run.trace) {
        say(line);
    }
    print_failures(run);
}

sim_plan plan_of(const sim_options& options) {
    sim_plan plan;
    plan.with_sessions = options.only_sessions;
    return plan;
}

bool is_repeatable(const sim_outcome& run, const sim_plan& plan) {
    const sim_outcome again = run_simulation(run.seed, plan);
    return again.trace_hash == run.trace_hash && again.steps == run.steps;
}

std::vector<std::uint64_t> read_corpus() {
    std::vector<std::uint64_t> seeds;
    std::ifstream file(CONVENE_SIM_CORPUS);
    for (std::string line; std::getline(file, line);) {
        const std::string word = line.substr(0, line.find('#'));
        if (word.find_first_of("0123456789") != std::string::npos) {
            seeds.push_back(std::stoull(word));
        }
    }
    return seeds;
}

int run_one(const sim_options& options) {
    sim_plan plan = plan_of(options);
    plan.mode = options.trace;
    sim_outcome run = run_simulation(*options.only, plan);
    if (!run.failures.empty() && options.trace == trace_mode::off) {
        plan.mode = trace_mode::on;
        run = run_simulation(*options.only, plan);
    }
    print_trace(run);
    if (!run.failures.empty()) {
        say(fmt::format("seed {} failed", run.seed));
        return 1;
    }
    say(fmt::format(
        "seed {} passed: {} steps, {} events, {} delivery attempts, {} faults",
        run.seed,
        run.steps,
        run.events,
        run.attempts,
        run.faults
    ));
    return 0;
}

/// Runs the seeds whose place in the list is `part` modulo `parts`. False at the first that fails.
bool run_part(
    const std::vector<std::uint64_t>& seeds,
    const sim_plan& plan,
    std::size_t part,
    std::size_t parts,
    totals& sum
) {
    for (std::size_t place = part; place < seeds.size(); place += parts) {
        const sim_outcome run = run_simulation(seeds[place], plan);
        sum.add(run);
        if (!run.failures.empty()) {
            print_failures(run);
            const std::string_view kind = plan.with_sessions ? " --sessions" : "";
            say(fmt::format("replay it with: convene_sim --seed {}{}", run.seed, kind));
            return false;
        }
        if (seeds[place] % seeds_per_repetition == 0 && !is_repeatable(run, plan)) {
            say(fmt::format("seed {} does not repeat itself", run.seed));
            return false;
        }
    }
    return true;
}

/// The same in several processes.
bool run_forked(const std::vector<std::uint64_t>& seeds, const sim_plan& plan, std::size_t jobs) {
    std::vector<pid_t> children;
    for (std::size_t part = 0; part < jobs; ++part) {
        const pid_t child = fork();
        if (child == 0) {
            totals ignored;
            std::_Exit(run_part(seeds, plan, part, jobs, ignored) ? 0 : 1);
        }
        children.push_back(child);
    }
    bool all_passed = true;
    for (const pid_t child : children) {
        int status = 1;
        const bool ended = child > 0 && waitpid(child, &status, 0) == child;
        all_passed = all_passed && ended && status == 0;
    }
    return all_passed;
}

void print_unreached_marks() {
    for (const fault_figures& mark : list_fault_marks()) {
        if (mark.reached == 0) {
            say(fmt::format("never reached: {}", mark.name));
        }
    }
}

int run_seeds(const sim_options& options) {
    std::vector<std::uint64_t> seeds = read_corpus();
    std::uint64_t seed = options.from;
    for (std::uint64_t left = options.seeds; left > 0; ++seed) {
        if (!options.only_sessions || has_sessions(seed)) {
            seeds.push_back(seed);
            --left;
        }
    }
    if (options.jobs > 1) {
        const bool passed = run_forked(seeds, plan_of(options), options.jobs);
        say(fmt::format("{} seeds {}", seeds.size(), passed ? "passed" : "were tried: FAILED"));
        return passed ? 0 : 1;
    }
    totals sum;
    if (!run_part(seeds, plan_of(options), 0, 1, sum)) {
        return 1;
    }
    if (options.lists_fault_marks) {
        print_unreached_marks();
    }
    say(fmt::format(
        "{} seeds passed: {} steps, {} events, {} delivery attempts, {} faults",
        sum.seeds,
        sum.steps,
        sum.events,
        sum.attempts,
        sum.faults
    ));
    return 0;
}

/// A kill before every single step of a run: at each await of everything that happens in it.
bool survives_every_kill(std::uint64_t seed, totals& sum) {
    sim_plan plan;
    plan.only_kill_at = 0;  // never: steps count from 1
    const std::uint64_t steps = run_simulation(seed, plan).worker_steps;
    for (std::uint64_t step = 1; step <= steps; ++step) {
        plan.only_kill_at = step;
        plan.mode = trace_mode::off;
        sim_outcome run = run_simulation(seed, plan);
        sum.add(run);
        if (!run.failures.empty()) {
            plan.mode = trace_mode::on;
            print_trace(run_simulation(seed, plan));
            say(fmt::format("seed {} with a kill before step {} failed", seed, step));
            return false;
        }
    }
    return true;
}

int kill_at_every_step(const sim_options& options) {
    totals sum;
    const std::uint64_t first = options.only.value_or(options.from);
    const std::uint64_t count = options.only ? 1 : options.seeds;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        if (!survives_every_kill(seed, sum)) {
            return 1;
        }
    }
    say(fmt::format(
        "{} kills passed: {} steps, {} events, {} delivery attempts",
        sum.faults,
        sum.steps,
        sum.events,
        sum.attempts
    ));
    return 0;
}

#ifdef CONVENE_MUTANTS
bool is_found(std::string_view mutant, const sim_options& options) {
    activate_mutant(mutant);
    for (std::uint64_t seed = options.from; seed < options.from + options.seeds; ++seed) {
        const sim_outcome run = run_simulation(seed, plan_of(options));
        if (!run.failures.empty()) {
            say(fmt::format("{}: found by seed {}: {}", mutant, seed, run.failures.front()));
            return true;
        }
    }
    say(fmt::format("{}: NOT found by {} seeds", mutant, options.seeds));
    return false;
}

/// So many seeds are needed to come across what few of them lead to.
constexpr std::uint64_t seeds_for_rare_mutants = 10'000;

std::vector<std::string_view> mutants_of(const sim_options& options) {
    if (options.only_sessions) {
        return {"append_without_epoch", "end_is_told_first", "call_without_intent"};
    }
    std::vector<std::string_view> mutants{
        "unlock_before_visible",
        "cursor_without_claimer",
        "skip_past_local_plan",
        "second_reply_for_one_row",
        "counter_written_elsewhere",
        "lost_answer_is_failure",
        "locks_die_with_the_client",
        "waiter_keeps_its_session",
        "word_of_release_is_trusted",
        "bell_is_trusted",
        "verdict_after_a_restart",
    };
    if (options.seeds >= seeds_for_rare_mutants) {
        mutants.push_back("bad_step_keeps_company");
        mutants.push_back("cursor_waits_for_nobody");
    }
    return mutants;
}

int find_mutants(const sim_options& options) {
    int missed = 0;
    for (const std::string_view mutant : mutants_of(options)) {
        missed += is_found(mutant, options) ? 0 : 1;
    }
    activate_mutant({});
    say(missed == 0 ? "every mutant was found" : fmt::format("{} mutants were not found", missed));
    return missed == 0 ? 0 : 1;
}
#else
int find_mutants(const sim_options&) {
    say("this build has no mutants: configure it with CONVENE_MUTANTS=ON");
    return 2;
}
#endif

}  // namespace

int run_sim(const sim_options& options) {
    switch (options.what) {
        case sim_task::find_mutants:
            return find_mutants(options);
        case sim_task::kill_at_every_step:
            return kill_at_every_step(options);
        case sim_task::run_seeds:
            break;
    }
    return options.only ? run_one(options) : run_seeds(options);
}

}  // namespace convene
