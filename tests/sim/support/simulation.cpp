// SPDX-License-Identifier: Apache-2.0
// A run: the parts put together, its three phases, and what must hold after each.
#include "sim/support/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/log.hpp"
#include "sim/support/audited_tables.hpp"
#include "sim/support/client.hpp"
#include "sim/support/cluster.hpp"
#include "sim/support/fault_plan.hpp"
#include "sim/support/prober.hpp"
#include "sim/support/session_client.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/operations/hooks.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Far beyond what any run needs: whoever is not done by then never will be.
constexpr auto longest_workload = 30min;
constexpr auto longest_recovery = 10min;
constexpr auto longest_stop = 5min;
constexpr auto between_looks = 200ms;
constexpr auto longest_room_lock = 10s;

/// Log lines of the workers become lines of the trace.
class log_capture {
   public:
    explicit log_capture(sim_world& world, trace_mode mode) {
        set_log_level(mode == trace_mode::on ? log_level::debug : log_level::off);
        set_log_sink([&world](log_level, std::string_view line) { world.note("log: {}", line); });
    }

    log_capture(const log_capture&) = delete;
    log_capture& operator=(const log_capture&) = delete;

    ~log_capture() {
        set_log_sink({});
        set_log_level(log_level::info);
    }
};

sim_scenario draw(sim_random& random, const sim_plan& plan) {
    sim_scenario drawn = draw_scenario(random);
    if (!plan.with_sessions) {
        drawn.sessions.reset();
    }
    return drawn;
}

/// Everything of one run, built and dropped in this order.
class simulation {
   public:
    simulation(std::uint64_t seed, const sim_plan& plan)
        : world_(seed, plan.mode),
          log_(world_, plan.mode),
          scenario_(draw(world_.random(), plan)),
          doubles_(world_.random().fork()),
          clock_(world_),
          data_(clock_),
          auditor_(world_, data_, scenario_.settings.recovery),
          session_auditor_(world_, data_, most_attempts()),
          audited_(data_, auditor_, session_auditor_),
          database_(world_, audited_),
          cluster_(around()),
          faults_(around(), cluster_, plan.only_kill_at),
          prober_(world_, database_, cluster_.hosts()),
          people_(world_.add_executor("clients")),
          sending_(people_),
          reading_(people_) {}

    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    // Clients that are cut off by a failure are dropped like killed workers.
    ~simulation() {
        people_.kill();
        cluster_.drop_all();
    }

    void run() {
        describe();
        create_rooms();
        create_sessions();
        add_hooks();
        prober_.start();
        cluster_.start_all();
        faults_.start();
        start_clients();
        if (run_workload() && recover()) {
            stop();
        }
    }

    [[nodiscard]] sim_outcome outcome(std::uint64_t seed) const {
        return {
            seed,
            world_.failures(),
            world_.trace(),
            world_.trace_hash(),
            world_.steps(),
            faults_.worker_steps(),
            auditor_.events(),
            auditor_.attempts(),
            faults_.faults()
        };
    }

   private:
    [[nodiscard]] sim_environment around() {
        return {world_, database_, auditor_, session_auditor_, doubles_, scenario_};
    }

    [[nodiscard]] std::int32_t most_attempts() const {
        return scenario_.sessions ? scenario_.sessions->settings.most_attempts : 0;
    }

    void describe() {
        world_.note(
            "{} workers, {} rooms, {} clients with {} requests, {} transports, {} agents, {} "
            "remote "
            "hooks, at most {} faults",
            scenario_.workers,
            scenario_.rooms,
            scenario_.clients,
            scenario_.requests_per_client,
            scenario_.transports.size(),
            scenario_.agents.size(),
            scenario_.hooks.size(),
            scenario_.most_faults
        );
        world_.note(
            "recovery {}, fence {}, {} claim manager, {}",
            scenario_.settings.recovery == delivery_recovery::skip ? "skip" : "redeliver",
            scenario_.fence == commit_fence::session ? "session" : "lock_epoch",
            scenario_.has_own_claim_manager ? "own" : "no own",
            scenario_.mixes_formats ? "two releases" : "one release"
        );
        if (scenario_.sessions) {
            world_.note(
                "{} sessions, {} clients of theirs with {} requests, {} attempts of a turn",
                scenario_.sessions->rooms,
                scenario_.sessions->clients,
                scenario_.sessions->requests_per_client,
                scenario_.sessions->settings.most_attempts
            );
        }
    }

    void create_rooms() {
        for (std::size_t i = 0; i < scenario_.rooms; ++i) {
            ops::create_room request;
            request.room.id = room_id{fmt::format("room-{}", i)};
            request.room.organization = sim_client::organization;
            for (const transport_traits& traits : scenario_.transports) {
                request.bindings.push_back(bind(traits.id, channel_kind::transport));
                request.bindings.back().limit = traits.limit;
            }
            for (const agent_traits& traits : scenario_.agents) {
                request.bindings.push_back(bind(traits.id, channel_kind::intelligence));
            }
            for (std::size_t person = 0; person < scenario_.clients; ++person) {
                participant member;
                member.id = participant_id{name_of_client(person)};
                request.participants.push_back(member);
            }
            rooms_.push_back(request.room.id);
            if (!audited_.apply(request)) {
                world_.fail("a room can't be created");
            }
        }
    }

    /// Rooms of their own: what people do to the others would have to be told apart from what drivers do.
    void create_sessions() {
        for (std::size_t i = 0; scenario_.sessions && i < scenario_.sessions->rooms; ++i) {
            ops::create_room request;
            request.room.id = room_id{fmt::format("session-{}", i)};
            request.room.organization = sim_client::organization;
            request.bindings.push_back(
                bind(scenario_.transports.front().id, channel_kind::transport)
            );
            request.bindings.push_back(bind(sim_session_agent_id(), channel_kind::intelligence));
            session_rooms_.push_back(request.room.id);
            const ops::open_session opened{
                sim_client::organization, request.room.id, sim_session_agent_id(), "owner"
            };
            if (!audited_.apply(request) || !audited_.apply(opened)) {
                world_.fail("a session can't be created");
            }
        }
    }

    void add_hooks() {
        for (const remote_hook& drawn : scenario_.hooks) {
            ops::put_hook request{drawn, {}};
            request.hook.organization = sim_client::organization;
            if (!audited_.apply(request)) {
                world_.fail("a hook can't be added");
            }
        }
    }

    static binding bind(const channel_id& id, channel_kind kind) {
        binding bound;
        bound.channel = id;
        bound.channel_type = kind == channel_kind::transport ? "sim" : "sim_agent";
        bound.kind = kind;
        bound.address = "address of " + id.str();
        bound.retry = retry_policy{2, 50ms, 500ms, 2.0};
        return bound;
    }

    static std::string name_of_client(std::size_t number) {
        return fmt::format("client-{}", number);
    }

    void start_clients() {
        for (std::size_t i = 0; i < scenario_.clients; ++i) {
            clients_.push_back(
                std::make_unique<sim_client>(around(), cluster_, people_, name_of_client(i), rooms_)
            );
            sending_.spawn(name_of_client(i), clients_.back()->run());
        }
        for (std::size_t i = 0; scenario_.sessions && i < scenario_.sessions->clients; ++i) {
            askers_.push_back(std::make_unique<sim_session_client>(
                around(), cluster_, people_, static_cast<int>(i), session_rooms_
            ));
            sending_.spawn("asker", askers_.back()->run());
        }
    }

    bool run_workload() {
        const auto all_done = [this] {
            return std::ranges::all_of(clients_, &sim_client::is_done) &&
                   std::ranges::all_of(askers_, &sim_session_client::is_done);
        };
        if (world_.run_until(all_done, longest_workload)) {
            return true;
        }
        if (world_.failures().empty()) {
            world_.fail("O4: clients wait for ever");
        }
        return false;
    }

    /// Faults stop; after a while everything is delivered, and every worker that was buried has noticed.
    bool recover() {
        faults_.stop();
        world_.note("no more faults");
        const monotonic_time start = std::max(world_.now(), faults_.over_at());
        while (world_.now() < start + longest_recovery) {
            world_.run_for(between_looks);
            if (!world_.failures().empty()) {
                return false;
            }
            if (world_.now() > start && is_quiet()) {
                auditor_.check_end();
                session_auditor_.check_end();
                return world_.failures().empty();
            }
        }
        world_.fail(fmt::format(
            "D7: it never gets quiet: {}{}; {} calls open; buried and serving:{}",
            auditor_.describe_unrest(),
            session_auditor_.describe_unrest(),
            cluster_.open_calls(),
            list_buried()
        ));
        return false;
    }

    bool is_quiet() {
        return auditor_.is_quiet() && session_auditor_.is_quiet() && cluster_.open_calls() == 0 &&
               list_buried().empty();
    }

    /// L10: whoever is recorded as dead finds out and starts anew.
    [[nodiscard]] std::string list_buried() const {
        std::string names;
        for (std::size_t worker = 0; worker < cluster_.size(); ++worker) {
            const sim_process* const process = cluster_.at(worker);
            const bool serves = process != nullptr &&
                                process->now_in() == sim_process::phase::serving;
            if (serves && auditor_.is_dead(process->host().incarnation)) {
                names += ' ' + process->host().name();
            }
        }
        return names;
    }

    /// L8: a room's lock is held for the time of a commit; one that nobody gives back went with an idle connection.
    void check_room_locks() {
        for (const room_id& room : rooms_) {
            const std::string name = lease_name::room(sim_client::organization, room).encoded();
            const auto is_free = [&] { return database_.locks().holder(name) == nullptr; };
            if (!world_.run_until(is_free, longest_room_lock) && world_.failures().empty()) {
                world_.fail("L8: the lock of " + room.str() + " is never given back");
            }
        }
    }

    /// A1: nobody keeps a session that nobody drives.
    void check_session_leases() {
        for (const room_id& room : session_rooms_) {
            const lease_name name{lease_kind::session, sim_client::organization, room.str()};
            const auto is_free = [&] {
                return database_.locks().holder(name.encoded()) == nullptr;
            };
            if (!world_.run_until(is_free, longest_room_lock) && world_.failures().empty()) {
                world_.fail("A1: the lease of " + room.str() + " is never given back");
            }
        }
    }

    /// A7: every run can be read from its start, on any worker.
    void read_all_runs() {
        if (askers_.empty()) {
            return;
        }
        bool has_read = false;
        reading_.spawn("all runs", read_each(&has_read));
        if (!world_.run_until([&] { return has_read; }, longest_workload) &&
            world_.failures().empty()) {
            world_.fail("A7: readers wait for ever");
        }
    }

    awaitable<void> read_each(bool* has_read) {
        for (const run_id& run : session_auditor_.runs()) {
            co_await askers_.front()->read_all(run);
        }
        *has_read = true;
    }

    /// All workers stop in order: every lease comes back.
    void stop() {
        check_room_locks();
        check_session_leases();
        read_all_runs();
        const std::size_t stored_before = auditor_.events();
        cluster_.stop_restarting();
        world_.run_until([this] { return !cluster_.is_starting(); }, longest_stop);
        cluster_.leave_all();
        const bool ended = world_.run_until([this] { return cluster_.has_ended(); }, longest_stop);
        if (!world_.failures().empty()) {
            return;
        }
        if (!ended) {
            world_.fail("D15: the workers never stop");
            return;
        }
        world_.run_for(1s);
        for (const auto& held : database_.locks().list_held()) {
            world_.fail("L1: a lease has no living owner: " + held.name);
        }
        // What a hook still sent while they stopped may be left to whoever starts next.
        if (auditor_.events() == stored_before || auditor_.is_quiet()) {
            auditor_.check_end();
        }
    }

    sim_world world_;
    log_capture log_;
    const sim_scenario scenario_;
    sim_random doubles_;
    sim_wall_clock clock_;
    memory_tables data_;
    sim_auditor auditor_;
    sim_session_auditor session_auditor_;
    audited_tables audited_;
    sim_database database_;
    sim_cluster cluster_;
    sim_fault_plan faults_;
    sim_prober prober_;
    sim_executor& people_;
    std::vector<room_id> rooms_;
    std::vector<room_id> session_rooms_;
    std::vector<std::unique_ptr<sim_client>> clients_;
    std::vector<std::unique_ptr<sim_session_client>> askers_;
    task_scope sending_;
    task_scope reading_;
};

}  // namespace

bool has_sessions(std::uint64_t seed) {
    sim_random random{seed};
    return draw_scenario(random).sessions.has_value();
}

sim_outcome run_simulation(std::uint64_t seed, sim_plan plan) {
    simulation run(seed, plan);
    run.run();
    return run.outcome(seed);
}

}  // namespace convene
