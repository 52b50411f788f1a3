// SPDX-License-Identifier: Apache-2.0
// Drawing faults and acting them out.
#include "sim/support/fault_plan.hpp"

#include <algorithm>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr per_mille half{500};

/// A mark takes part in some runs only, and then fires now and then, so that runs reach what lies behind it.
constexpr per_mille active_marks{300};
constexpr per_mille firing{200};
constexpr int most_firings_of_a_mark = 5;

}  // namespace

sim_fault_plan::sim_fault_plan(
    sim_environment around, sim_cluster& cluster, std::optional<std::uint64_t> only_kill_at
)
    : around_(around),
      cluster_(cluster),
      only_kill_at_(only_kill_at),
      random_(around.world.random().fork()) {
    install_fault_injector(this);
}

sim_fault_plan::~sim_fault_plan() { install_fault_injector(nullptr); }

void sim_fault_plan::start() {
    over_at_ = around_.world.now();
    around_.database.set_manners(around_.scenario.server);
    around_.world.before_each_step([this](sim_executor& about_to_run) {
        consider_step(about_to_run);
    });
    plan_next();
}

void sim_fault_plan::stop() noexcept {
    is_stopped_ = true;
    around_.database.set_manners({});
}

bool sim_fault_plan::may_act() const noexcept {
    return !is_stopped_ && !only_kill_at_ && faults_ < around_.scenario.most_faults &&
           !around_.scenario.faults.empty();
}

bool sim_fault_plan::fires(std::string_view mark) noexcept {
    auto known = marks_.find(mark);
    if (known == marks_.end()) {
        const bool is_active = random_.happens(active_marks);
        known = marks_.emplace(mark, mark_state{is_active, most_firings_of_a_mark}).first;
    }
    mark_state& state = known->second;
    if (is_stopped_ || only_kill_at_ || !state.is_active || state.left == 0 ||
        !random_.happens(firing)) {
        return false;
    }
    --state.left;
    around_.world.note("FAULT: {} fires", mark);
    return true;
}

/// A worker may end, or stop for a while, before any step of it: that is at any await of its coroutines.
void sim_fault_plan::consider_step(sim_executor& about_to_run) {
    if (is_stopped_) {
        return;
    }
    const std::size_t worker = worker_of(about_to_run);
    if (worker == cluster_.size()) {
        return;
    }
    ++worker_steps_;
    if (worker_steps_ == only_kill_at_) {
        act(fault_kind::kill, worker);
    }
    if (!may_act() || random_.next() % around_.scenario.steps_per_fault != 0) {
        return;
    }
    const auto& drawn = around_.scenario.faults;
    const fault_kind kind = drawn[random_.index(drawn.size())];
    const bool concerns_process = kind == fault_kind::kill || kind == fault_kind::vanish ||
                                  kind == fault_kind::freeze ||
                                  kind == fault_kind::freeze_and_lose_sessions;
    if (concerns_process) {
        act(kind, worker);
    }
}

void sim_fault_plan::plan_next() {
    around_.world.after(random_.between(10ms, around_.scenario.longest_calm), [this] {
        if (may_act()) {
            const auto& drawn = around_.scenario.faults;
            act(drawn[random_.index(drawn.size())], random_.index(cluster_.size()));
        }
        if (!is_stopped_) {
            plan_next();
        }
    });
}

std::chrono::nanoseconds sim_fault_plan::lasting(
    std::chrono::nanoseconds low, std::chrono::nanoseconds high
) {
    const auto span = random_.skewed(low, high);
    over_at_ = std::max(over_at_, around_.world.now() + span);
    return span;
}

void sim_fault_plan::act(fault_kind kind, std::size_t worker) {
    sim_process* const process = cluster_.at(worker);
    if (process == nullptr) {
        return;
    }
    sim_host& host = process->host();
    ++faults_;
    switch (kind) {
        case fault_kind::kill:
            return cluster_.kill(worker, death::killed);
        case fault_kind::vanish:
            // The database needs that long to notice.
            static_cast<void>(lasting(silence_limits{}.freed_latest, silence_limits{}.freed_latest)
            );
            return cluster_.kill(worker, death::vanished);
        case fault_kind::freeze:
            return freeze(worker);
        case fault_kind::freeze_and_lose_sessions:
            freeze(worker);
            return lose_sessions(worker);
        case fault_kind::lose_sessions:
            return lose_sessions(worker);
        case fault_kind::partition:
            around_.world.note("FAULT: {} is cut off", host.name());
            return host.partition(lasting(100ms, 20s));
        case fault_kind::slow_network:
            around_.world.note("FAULT: {} is slow", host.name());
            return host.slow_down(random_.skewed(20ms, 1s), lasting(100ms, 10s));
        case fault_kind::restart_worker:
            return cluster_.leave(worker);
        case fault_kind::restart_database:
            around_.world.note("FAULT: the database restarts");
            return restart_database();
    }
}

void sim_fault_plan::freeze(std::size_t worker) { cluster_.freeze(worker, lasting(100ms, 30s)); }

void sim_fault_plan::restart_database() {
    std::vector<sim_host*> all;
    for (const auto& host : cluster_.hosts()) {
        all.push_back(host.get());
    }
    around_.database.restart(all, lasting(10ms, 5s));
}

/// All sessions of a worker, those that carry locks, or any: by an operator, an idle limit, a router.
void sim_fault_plan::lose_sessions(std::size_t worker) {
    const sim_host& host = cluster_.at(worker)->host();
    around_.world.note("FAULT: sessions of {} end", host.name());
    const bool all = random_.happens(half);
    const auto how = random_.happens(half) ? session_end::told : session_end::reset;
    for (const auto& connection : host.connections()) {
        if (all || random_.happens(half)) {
            connection->end_session(how);
        }
    }
}

std::size_t sim_fault_plan::worker_of(const sim_executor& process) const {
    for (std::size_t worker = 0; worker < cluster_.size(); ++worker) {
        const sim_process* const running = cluster_.at(worker);
        if (running != nullptr && &running->host().process() == &process) {
            return worker;
        }
    }
    return cluster_.size();
}

}  // namespace convene
