// SPDX-License-Identifier: Apache-2.0
// Proving death: two looks 250 ms apart, by somebody who lives.
#include "sim/support/prober.hpp"

#include <algorithm>

#include "base/mutant.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto between_probes = 500ms;
constexpr auto before_confirming = 250ms;

}  // namespace

void sim_prober::start() {
    world_.after(world_.random().between(1ms, between_probes), [this] { probe(); });
}

void sim_prober::probe() {
    if (can_judge()) {
        const auto workers = database_.data().apply(ops::list_workers{});
        for (const ops::worker_row& worker : *workers) {
            if (worker.state != ops::worker_state::dead && !has_session(worker.incarnation)) {
                world_.after(before_confirming, [this, suspect = worker.incarnation] {
                    confirm(suspect);
                });
            }
        }
    }
    world_.after(between_probes, [this] { probe(); });
}

void sim_prober::confirm(const incarnation_id& incarnation) {
    if (!can_judge() || has_session(incarnation)) {
        return;
    }
    // L10: those who live get the time to connect again.
    if (!database_.is_settled()) {
        world_.fail("L10: " + incarnation.str() + " is called dead right after a restart");
    }
    const auto recorded = database_.data().apply(
        ops::set_worker_state{incarnation, ops::worker_state::dead}
    );
    static_cast<void>(recorded);  // a worker that stopped in order has done it itself
}

bool sim_prober::can_judge() const {
    const bool may_judge = database_.is_settled() || CONVENE_MUTANT("verdict_after_a_restart");
    return may_judge && std::ranges::any_of(hosts_, [](const auto& host) {
               return host->has_session() && !host->process().is_frozen() &&
                      !host->is_partitioned();
           });
}

bool sim_prober::has_session(const incarnation_id& incarnation) const {
    return std::ranges::any_of(hosts_, [&](const auto& host) {
        return host->incarnation == incarnation && host->has_session();
    });
}

}  // namespace convene
