// SPDX-License-Identifier: Apache-2.0
// One start of a worker as the network sees it: its connections to the database and what happens to them.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/support/connection.hpp"
#include "sim/support/executor.hpp"
#include "sim/support/world.hpp"

namespace convene {

/// How a process disappears.
enum class death : std::uint8_t {
    killed,    ///< its host closes the connections at once; what was sent still arrives
    vanished,  ///< nobody tells the database, which notices by silence
};

/// What a client of the database knows by silence, and when the server acts on it.
struct silence_limits {
    std::chrono::milliseconds suspect{1'500};  ///< a lease is suspect
    std::chrono::milliseconds lost{8'000};     ///< a lease is given up by its holder
    std::chrono::milliseconds freed{10'000
    };  ///< the server ends the session, not earlier than this
    std::chrono::milliseconds freed_latest{12'000};
};

/// Owns the client's side of all connections of one start of a worker.
///
/// *Lifetime*: as long as the world; a killed worker's host stays, as its messages may be on their way.
class sim_host {
   public:
    sim_host(sim_world& world, sim_executor& process, std::string name);
    ~sim_host();

    sim_host(const sim_host&) = delete;
    sim_host& operator=(const sim_host&) = delete;

    [[nodiscard]] sim_world& world() const noexcept { return world_; }

    [[nodiscard]] sim_executor& process() const noexcept { return process_; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Set once the worker has chosen its incarnation.
    incarnation_id incarnation;

    /// A connection that is not open yet; `sim_database::connect` opens it.
    [[nodiscard]] std::shared_ptr<sim_connection> make_connection(connection_use use);

    /// True while the database holds a session of this process: then it is not dead.
    [[nodiscard]] bool has_session() const noexcept;

    [[nodiscard]] const std::vector<std::shared_ptr<sim_connection>>& connections() const noexcept {
        return connections_;
    }

    // -- the network -----------------------------------------------------------------------------------

    /// How long the next message takes.
    [[nodiscard]] std::chrono::nanoseconds latency() noexcept;

    /// All messages take up to `worst` for a while.
    void slow_down(std::chrono::nanoseconds worst, std::chrono::nanoseconds span);

    /// Nothing passes between this host and the database for `span`. What is sent meanwhile arrives later,
    /// unless one of the two gives up by silence before.
    void partition(std::chrono::nanoseconds span);

    [[nodiscard]] bool is_partitioned() const noexcept { return is_partitioned_; }

    /// A message over a connection of its own, which nobody waits for: it gets there or does not.
    void tell_server(std::function<void()> message);

    /// When this process last heard from the database, as its heartbeat would know.
    [[nodiscard]] monotonic_time last_heard() const noexcept;

    // -- the process -----------------------------------------------------------------------------------

    /// The process stops (it may be resumed); its kernel keeps the connections.
    void freeze() noexcept;
    /// It goes on. What it knows about the database is as old as the freeze until a fresh answer comes.
    void thaw();

    /// The process is gone. *Requires*: its executor was killed.
    void die(death how);

    [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }

   private:
    void heal();
    void refresh(std::uint64_t stall);
    void give_up_by_silence(std::uint64_t episode, connection_use use);

    // fixed after construction
    sim_world& world_;
    sim_executor& process_;
    const std::string name_;

    sim_random random_;
    std::vector<std::shared_ptr<sim_connection>> connections_;
    bool is_partitioned_ = false;
    std::uint64_t partition_episode_ = 0;
    monotonic_time partitioned_since_{};
    monotonic_time slow_until_{};
    std::chrono::nanoseconds slow_worst_{};
    bool is_stalled_ = false;
    std::uint64_t stalls_ = 0;
    monotonic_time stalled_since_{};
    bool is_gone_ = false;
};

}  // namespace convene
