// SPDX-License-Identifier: Apache-2.0
// Drawing a scenario.
#include "sim/support/scenario.hpp"

#include <string>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr per_mille half{500};
constexpr per_mille one_in_four{250};

/// Short enough that a run reaches what happens after a limit.
room_kit_settings draw_settings(sim_random& random) {
    room_kit_settings settings;
    settings.process_timeout = 5s;
    settings.delivery_wait_timeout = 5s;
    settings.delivery_gap_timeout = 3s;
    settings.set_deadline = 1s;
    settings.drain_deadline = 2s;
    settings.recovery = random.happens(one_in_four) ? delivery_recovery::skip
                                                    : delivery_recovery::redeliver;
    settings.agents = random.happens(one_in_four) ? agent_recovery::stop
                                                  : agent_recovery::regenerate;
    settings.max_chain_depth = random.between(1, 3);
    settings.cascade_budget = random.between(2, 8);
    return settings;
}

transport_traits draw_transport(sim_random& random, std::size_t number) {
    transport_traits traits;
    traits.id = channel_id{"transport-" + std::to_string(number)};
    traits.is_bound = number != 0 && random.happens(one_in_four);
    traits.slowest = random.happens(half) ? 5ms : 300ms;
    if (random.happens(half)) {
        traits.fails_for_now = per_mille{200};
        traits.fails_for_good = per_mille{50};
    }
    if (random.happens(one_in_four)) {
        traits.hangs = per_mille{50};
    }
    if (random.happens(one_in_four)) {
        traits.limit = rate_limit{
            static_cast<double>(random.between(2, 20)), std::nullopt, std::nullopt
        };
    }
    return traits;
}

agent_traits draw_agent(sim_random& random, std::size_t number) {
    agent_traits traits;
    traits.id = channel_id{"agent-" + std::to_string(number)};
    traits.slowest = random.happens(half) ? 20ms : 2s;
    traits.streams = per_mille{random.happens(half) ? 700U : 0U};
    if (random.happens(half)) {
        traits.breaks_off = per_mille{150};
    }
    if (random.happens(one_in_four)) {
        traits.hangs = per_mille{50};
    }
    if (random.happens(one_in_four)) {
        traits.streams_to = channel_id{"transport-0"};
    }
    return traits;
}

/// Of every mode; a deadline is short beside what a caller waits for.
remote_hook draw_hook(sim_random& random, std::size_t number) {
    remote_hook hook;
    hook.id = hook_id{"remote-" + std::to_string(number)};
    hook.mode = static_cast<hook_mode>(random.between(1, 3));
    hook.room = room_id{random.happens(half) ? "" : "room-0"};
    hook.deadline = milliseconds{random.between(50, 500)};
    hook.on_failure = random.happens(one_in_four) ? hook_failure_policy::fail_closed
                                                  : hook_failure_policy::fail_open;
    return hook;
}

remote_hook_traits draw_hook_traits(sim_random& random) {
    remote_hook_traits traits;
    traits.slowest = random.happens(half) ? 5ms : 300ms;
    if (random.happens(half)) {
        traits.fails = per_mille{150};
    }
    if (random.happens(half)) {
        traits.hangs = per_mille{100};
    }
    return traits;
}

server_manners draw_manners(sim_random& random, std::size_t rooms) {
    server_manners manners;
    manners.is_busy = per_mille{random.happens(one_in_four) ? 20U : 0U};
    manners.stalls = per_mille{random.happens(one_in_four) ? 20U : 0U};
    manners.breaks_off = per_mille{random.happens(one_in_four) ? 10U : 0U};
    if (random.happens(half)) {
        manners.sulky_rooms.insert(room_id{"room-" + std::to_string(random.index(rooms))});
    }
    return manners;
}

std::vector<fault_kind> draw_faults(sim_random& random) {
    std::vector<fault_kind> drawn;
    for (const fault_kind kind :
         {fault_kind::kill,
          fault_kind::vanish,
          fault_kind::freeze,
          fault_kind::freeze_and_lose_sessions,
          fault_kind::lose_sessions,
          fault_kind::partition,
          fault_kind::slow_network,
          fault_kind::restart_worker,
          fault_kind::restart_database}) {
        if (random.happens(half)) {
            drawn.push_back(kind);
        }
    }
    return drawn;
}

/// Limits are short, so that a run reaches what lies behind them.
session_traits draw_sessions(sim_random& random) {
    session_traits traits;
    traits.rooms = static_cast<std::size_t>(random.between(1, 2));
    traits.clients = static_cast<std::size_t>(random.between(1, 3));
    traits.requests_per_client = random.between(2, 5);
    traits.settings.turn_timeout = milliseconds{random.between(5, 20) * 1000};
    traits.settings.starter_patience = 2s;
    traits.settings.grace = 3s;
    traits.settings.concurrency = static_cast<std::size_t>(random.between(1, 3));
    traits.settings.most_attempts = random.between(2, 5);
    traits.slowest = random.happens(half) ? 20ms : 500ms;
    traits.fails_for_now = per_mille{random.happens(half) ? 50U : 0U};
    traits.lethal = per_mille{random.happens(one_in_four) ? 100U : 0U};
    return traits;
}

/// What was added later is drawn from a copy: a seed without it runs as it did before there was such a thing.
void draw_aside(sim_scenario& drawn, sim_random aside) {
    drawn.mixes_formats = aside.happens(one_in_four);
    if (aside.happens(one_in_four)) {
        drawn.sessions = draw_sessions(aside);
        drawn.requests_per_client = aside.between(1, 3);
    }
}

}  // namespace

sim_scenario draw_scenario(sim_random& random) {
    sim_scenario drawn;
    drawn.workers = static_cast<std::size_t>(random.between(2, 4));
    drawn.rooms = static_cast<std::size_t>(random.between(1, 4));
    drawn.clients = static_cast<std::size_t>(random.between(2, 4));
    drawn.requests_per_client = random.between(4, 10);
    drawn.fence = random.happens(one_in_four) ? commit_fence::lock_epoch : commit_fence::session;
    drawn.steps = random.happens(one_in_four) ? step_writing::one_by_one : step_writing::together;
    drawn.has_own_claim_manager = random.happens(half);
    drawn.settings = draw_settings(random);

    const int transports = random.between(1, 3);
    for (int i = 0; i < transports; ++i) {
        drawn.transports.push_back(draw_transport(random, drawn.transports.size()));
    }
    const int agents = random.between(0, 2);
    for (int i = 0; i < agents; ++i) {
        drawn.agents.push_back(draw_agent(random, drawn.agents.size()));
    }

    drawn.lethal_messages = per_mille{random.happens(one_in_four) ? 30U : 0U};
    drawn.server = draw_manners(random, drawn.rooms);
    drawn.faults = draw_faults(random);
    drawn.most_faults = random.between(1, 12);
    drawn.steps_per_fault = static_cast<std::uint64_t>(random.between(200, 3000));
    drawn.longest_calm = random.between(200ms, 5s);

    const int hooks = random.happens(half) ? random.between(1, 3) : 0;
    for (int i = 0; i < hooks; ++i) {
        drawn.hooks.push_back(draw_hook(random, drawn.hooks.size()));
    }
    drawn.hook_traits = draw_hook_traits(random);
    draw_aside(drawn, sim_random{random});
    return drawn;
}

}  // namespace convene
