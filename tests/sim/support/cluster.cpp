// SPDX-License-Identifier: Apache-2.0
// Starting and ending simulated workers.
#include "sim/support/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_close = 120s;

}  // namespace

sim_cluster::sim_cluster(sim_environment around)
    : around_(around), random_(around.world.random().fork()), workers_(around.scenario.workers) {}

sim_cluster::~sim_cluster() { drop_all(); }

void sim_cluster::start_all() {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        around_.world.after(random_.between(0ms, 100ms), [this, worker] { start(worker); });
    }
}

void sim_cluster::start(std::size_t worker) {
    const std::string name = fmt::format("w{}.{}", worker, hosts_.size());
    sim_executor& executor = around_.world.add_executor(name);
    hosts_.push_back(std::make_unique<sim_host>(around_.world, executor, name));
    sim_host& host = *hosts_.back();
    sim_process::requests ask;
    ask.retire = [this, worker, &host] {
        around_.world.after(0ms, [this, worker, &host] { retire(worker, host); });
    };
    ask.die = [this, worker, &host] {
        around_.world.after(0ms, [this, worker, &host] {
            if (is_running(worker, host)) {
                kill(worker, death::killed);
            }
        });
    };
    ask.ring =
        [this](
            const organization_id& organization, const room_id& room, const incarnation_id& rung
        ) { carry_ring(organization, room, rung); };
    ask.announce = [this, &host](const sim_session_news& news) { carry_news(news, host); };
    workers_[worker] = std::make_unique<sim_process>(
        around_, host, fmt::format("w{}", worker), std::move(ask)
    );
}

/// Best effort: some are lost on the way, some come twice.
void sim_cluster::carry_ring(
    const organization_id& organization, const room_id& room, const incarnation_id& rung
) {
    const bool is_lost = random_.happens(per_mille{100});
    const int times = is_lost ? 0 : random_.happens(per_mille{50}) ? 2 : 1;
    for (int i = 0; i < times; ++i) {
        ring_later(organization, room, rung);
    }
}

void sim_cluster::ring_later(
    const organization_id& organization, const room_id& room, const incarnation_id& rung
) {
    around_.world.after(random_.skewed(1ms, 200ms), [this, organization, room, rung] {
        for (const auto& process : workers_) {
            if (process == nullptr || process->kit().incarnation() != rung) {
                continue;
            }
            sim_process* const answering = process.get();
            answering->host().process().arrive([answering, organization, room] {
                answering->kit().answer_bell(organization, room);
            });
        }
    });
}

/// To each of the others. Whoever may have missed something is told that, later.
void sim_cluster::carry_news(const sim_session_news& news, const sim_host& from) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        if (workers_[worker] == nullptr || is_running(worker, from)) {
            continue;
        }
        if (random_.happens(per_mille{100})) {
            around_.world.after(random_.skewed(10ms, 3s), [this, worker] {
                tell_later(worker, std::nullopt);
            });
            continue;
        }
        const int times = random_.happens(per_mille{50}) ? 2 : 1;
        for (int i = 0; i < times; ++i) {
            tell_later(worker, news);
        }
    }
}

void sim_cluster::tell_later(std::size_t worker, std::optional<sim_session_news> news) {
    around_.world.after(random_.skewed(1ms, 200ms), [this, worker, news = std::move(news)] {
        sim_process* const hearing = at(worker);
        if (hearing != nullptr) {
            hearing->host().process().arrive([hearing, news] { hearing->hear(news); });
        }
    });
}

bool sim_cluster::is_running(std::size_t worker, const sim_host& host) const {
    return workers_[worker] && &workers_[worker]->host() == &host;
}

void sim_cluster::start_later(std::size_t worker) {
    if (restarts_) {
        around_.world.after(random_.skewed(10ms, 5s), [this, worker] {
            if (restarts_) {
                start(worker);
            }
        });
    }
}

void sim_cluster::retire(std::size_t worker, sim_host& host) {
    if (!is_running(worker, host)) {
        return;  // killed at the last moment
    }
    workers_[worker].reset();
    host.process().kill();
    host.die(death::killed);
    start_later(worker);
}

void sim_cluster::kill(std::size_t worker, death how) {
    sim_process* const process = at(worker);
    if (process == nullptr) {
        return;
    }
    around_.world.note(
        "FAULT: {} is {}", process->host().name(), how == death::killed ? "killed" : "gone"
    );
    sim_host& host = process->host();
    host.process().kill();
    process->lose_calls();
    host.die(how);
    workers_[worker].reset();
    start_later(worker);
}

void sim_cluster::freeze(std::size_t worker, std::chrono::nanoseconds span) {
    sim_process* const process = at(worker);
    if (process == nullptr || process->host().process().is_frozen()) {
        return;
    }
    around_.world.note("FAULT: {} is frozen for {} ms", process->host().name(), span / 1ms);
    sim_host& host = process->host();
    host.freeze();
    around_.world.after(span, [&world = around_.world, &host] {
        if (!host.is_gone()) {
            world.note("{} goes on", host.name());
            host.thaw();
        }
    });
}

void sim_cluster::leave(std::size_t worker) {
    sim_process* const process = at(worker);
    if (process == nullptr || process->now_in() != sim_process::phase::serving) {
        return;
    }
    sim_host& host = process->host();
    around_.world.note("{} is told to stop", host.name());
    host.process().arrive([process] { process->leave(); });
    around_.world.after(longest_close, [this, worker, &host] {
        if (is_running(worker, host) && !host.process().is_frozen()) {
            around_.world.fail("D15: " + host.name() + " does not come to an end");
        }
    });
}

void sim_cluster::leave_all() {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        leave(worker);
    }
}

bool sim_cluster::is_starting() const {
    return std::ranges::any_of(workers_, [](const auto& process) {
        return process != nullptr && process->now_in() == sim_process::phase::starting;
    });
}

bool sim_cluster::has_ended() const {
    return std::ranges::all_of(workers_, [](const auto& process) { return process == nullptr; });
}

void sim_cluster::drop_all() {
    restarts_ = false;
    for (auto& process : workers_) {
        if (process) {
            process->host().process().kill();
            process.reset();
        }
    }
}

std::size_t sim_cluster::draw_serving() {
    std::vector<std::size_t> serving;
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        const sim_process* const process = at(worker);
        if (process != nullptr && process->now_in() == sim_process::phase::serving) {
            serving.push_back(worker);
        }
    }
    return serving.empty() ? workers_.size() : serving[random_.index(serving.size())];
}

std::size_t sim_cluster::open_calls() const {
    std::size_t open = 0;
    for (const auto& process : workers_) {
        open += process ? process->open_calls() : 0;
    }
    return open;
}

std::chrono::nanoseconds sim_cluster::client_latency() { return random_.skewed(50us, 3ms); }

}  // namespace convene
