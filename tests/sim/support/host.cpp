// SPDX-License-Identifier: Apache-2.0
// A worker's place in the network: latency, partitions, silence, freezes and death.
#include "sim/support/host.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr silence_limits limits;

/// A client without locks waits longer before it gives a silent connection up.
constexpr auto query_gives_up = 11'000ms;

}  // namespace

sim_host::sim_host(sim_world& world, sim_executor& process, std::string name)
    : world_(world), process_(process), name_(std::move(name)), random_(world.random().fork()) {}

sim_host::~sim_host() {
    // A message on its way holds the connection that holds it.
    for (const auto& connection : connections_) {
        connection->to_server()->cut();
        connection->to_client()->cut();
        connection->forget_requests();
    }
}

std::shared_ptr<sim_connection> sim_host::make_connection(connection_use use) {
    connections_.push_back(std::make_shared<sim_connection>(*this, use));
    return connections_.back();
}

bool sim_host::has_session() const noexcept {
    return std::ranges::any_of(connections_, &sim_connection::has_session);
}

// -- the network ---------------------------------------------------------------------------------------

std::chrono::nanoseconds sim_host::latency() noexcept {
    const bool is_slow = world_.now() < slow_until_;
    return random_.skewed(50us, is_slow ? slow_worst_ : std::chrono::nanoseconds{2ms});
}

void sim_host::slow_down(std::chrono::nanoseconds worst, std::chrono::nanoseconds span) {
    slow_worst_ = worst;
    slow_until_ = world_.now() + span;
}

void sim_host::partition(std::chrono::nanoseconds span) {
    if (is_partitioned_) {
        return;
    }
    is_partitioned_ = true;
    partitioned_since_ = world_.now();
    const std::uint64_t episode = ++partition_episode_;

    world_.after(span, [this] { heal(); });
    world_.after(limits.lost, [this, episode] {
        give_up_by_silence(episode, connection_use::lease);
    });
    world_.after(query_gives_up, [this, episode] {
        give_up_by_silence(episode, connection_use::query);
    });
    // The server frees later than the holder gives up, so that nobody acts under a lock that is free.
    for (const auto& connection : connections_) {
        world_.after(
            random_.between(limits.freed, limits.freed_latest),
            [this, episode, connection] {
                if (is_partitioned_ && partition_episode_ == episode) {
                    connection->read_end();
                }
            }
        );
    }
}

void sim_host::heal() {
    is_partitioned_ = false;
    for (const auto& connection : connections_) {
        connection->to_server()->resume();
        connection->to_client()->resume();
        // A keepalive: whose session ended meanwhile learns it now.
        connection->tell([](const auto& /*session*/, const answer_function& answer) {
            answer(result<>{});
        });
    }
}

void sim_host::give_up_by_silence(std::uint64_t episode, connection_use use) {
    // Judged by the process itself: one that was frozen looks at its socket first.
    process_.arrive([this, episode, use] {
        if (!is_partitioned_ || partition_episode_ != episode) {
            return;
        }
        world_.note("{} gives up its silent connections", name_);
        for (const auto& connection : connections_) {
            if (connection->use() == use) {
                connection->break_client();
            }
        }
    });
}

void sim_host::tell_server(std::function<void()> message) {
    if (!is_gone_ && !is_partitioned_) {
        world_.after(latency(), std::move(message));
    }
}

monotonic_time sim_host::last_heard() const noexcept {
    monotonic_time heard = world_.now();
    if (is_partitioned_) {
        heard = std::min(heard, partitioned_since_);
    }
    if (is_stalled_) {
        heard = std::min(heard, stalled_since_);
    }
    return heard;
}

// -- the process ---------------------------------------------------------------------------------------

void sim_host::freeze() noexcept {
    process_.freeze();
    if (!is_stalled_) {
        stalled_since_ = world_.now();
    }
    is_stalled_ = true;
    ++stalls_;
}

void sim_host::thaw() {
    process_.thaw();
    refresh(stalls_);
}

void sim_host::refresh(std::uint64_t stall) {
    world_.after(latency(), [this, stall] {
        if (is_partitioned_) {
            refresh(stall);  // retransmitted until it passes
            return;
        }
        process_.arrive([this, stall] { is_stalled_ = is_stalled_ && stalls_ != stall; });
    });
}

void sim_host::die(death how) {
    CONVENE_ASSERT(process_.is_abandoned(), "a process that runs has not died");
    is_gone_ = true;
    for (const auto& connection : connections_) {
        connection->to_client()->cut();
        if (how == death::vanished) {
            connection->to_server()->cut();
            world_.after(random_.between(5s, limits.freed_latest), [connection] {
                connection->read_end();
            });
            continue;
        }
        // Its kernel closes in order: what was sent arrives first, all within 50 ms.
        world_.after(random_.skewed(0ms, 50ms), [connection] {
            connection->to_server()->send([connection] { connection->read_end(); });
        });
    }
}

}  // namespace convene
