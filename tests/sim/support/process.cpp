// SPDX-License-Identifier: Apache-2.0
// The life of one simulated worker: equip, init, serve, close.
#include "sim/support/process.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/assert.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Some workers' clocks are wrong.
std::chrono::microseconds draw_clock_error(sim_random& random) {
    const std::chrono::nanoseconds error = random.between(-3600s, 3600s);
    const bool is_wrong = random.happens(per_mille{200});
    return is_wrong ? std::chrono::duration_cast<std::chrono::microseconds>(error) : 0us;
}

/// Reads what is committed as live tails do: with the room around it, whatever has happened.
class listening_reader final : public commit_listener {
   public:
    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override {
        for (const room_event& event : events) {
            CONVENE_ASSERT(event.room == around->room.id, "events are told with their room");
        }
    }

    void erased(const room_id& /*room*/, const std::vector<event_id>& /*events*/) noexcept
        override {}
};

/// Rings at the other end of the world.
class far_bell final : public lane_bell {
   public:
    explicit far_bell(const sim_process::requests& ask) : ask_(ask) {}

    [[nodiscard]] bool is_connected() const noexcept override { return true; }

    void ring(
        const organization_id& organization, const room_id& room, const incarnation_id& worker
    ) noexcept override {
        ask_.ring(organization, room, worker);
    }

   private:
    const sim_process::requests& ask_;
};

commit_listener& reader_of_all() {
    static listening_reader reader;
    return reader;
}

/// The first worker, whenever it starts again, is of the newest release: somebody has to read everything.
std::int32_t format_of(const sim_scenario& scenario, std::string_view slot) {
    return scenario.mixes_formats && slot != "w0" ? 1 : 2;
}

room_kit_parts parts_of(
    sim_host& host,
    sim_store& store,
    sim_lock_manager& locks,
    sim_lock_manager* claims,
    const wall_clock& clock,
    random_source& random,
    lane_bell& bell,
    remote_hook_caller& hooks,
    std::int32_t plan_format
) {
    room_kit_parts parts;
    parts.plan_format = plan_format;
    parts.where = &host.process();
    parts.store = &store;
    parts.locks = &locks;
    parts.delivery_claim_locks = claims;
    parts.clock = &clock;
    parts.random = &random;
    parts.remote_hooks = &hooks;
    parts.commits = &reader_of_all();
    parts.bell = &bell;
    return parts;
}

}  // namespace

sim_process::sim_process(sim_environment& around, sim_host& host, std::string slot, requests ask)
    : around_(around),
      host_(host),
      random_(around.world.random().fork()),
      clock_(around.world, draw_clock_error(around.world.random())),
      locks_(around.database, host),
      claim_locks_(around.database, host),
      store_(around.database, host, around.scenario.fence, around.scenario.steps),
      hooks_(make_sim_hook_caller(&doubles_, &around.scenario.hook_traits)),
      ask_(std::move(ask)),
      bell_(std::make_unique<far_bell>(ask_)),
      kit_(std::make_unique<room_kit>(
          parts_of(
              host,
              store_,
              locks_,
              around.scenario.has_own_claim_manager ? &claim_locks_ : nullptr,
              clock_,
              random_,
              *bell_,
              *hooks_,
              format_of(around.scenario, slot)
          ),
          around.scenario.settings
      )),
      slot_(std::move(slot)),
      served_(host.process()),
      watches_(host.process()),
      main_(host.process()) {
    host_.incarnation = kit_->incarnation();
    doubles_ = {kit_->incarnation(), &around_.auditor, &around_.doubles, kit_.get(), ask_.die};
    if (around_.scenario.sessions) {
        const session_traits& traits = *around_.scenario.sessions;
        session_doubles_ = {
            kit_->incarnation(), &around_.session_auditor, &around_.doubles, &traits, ask_.die
        };
        sessions_ = std::make_unique<sim_session_worker>(
            sim_session_worker::parts{
                &host.process(), kit_.get(), &locks_, &clock_, &random_, ask_.announce
            },
            traits.settings
        );
    }
    around_.world.note("{} starts as {}", host_.name(), kit_->incarnation().str());
    main_.spawn("main", run());
    watches_.spawn("burial", watch_burial());
}

sim_process::~sim_process() = default;

result<> sim_process::equip() {
    for (const transport_traits& traits : around_.scenario.transports) {
        const result<> added = kit_->register_channel(make_sim_transport(&doubles_, traits));
        if (!added) {
            return added;
        }
    }
    for (const agent_traits& traits : around_.scenario.agents) {
        const result<> added = kit_->register_channel(make_sim_agent(&doubles_, traits));
        if (!added) {
            return added;
        }
    }
    if (const result<> added = equip_for_sessions(); !added) {
        return added;
    }
    for (hook_definition& hook : make_sim_hooks(&doubles_)) {
        const result<> added = kit_->add_hook(std::move(hook));
        if (!added) {
            return added;
        }
    }
    return {};
}

result<> sim_process::equip_for_sessions() {
    if (sessions_ == nullptr) {
        return {};
    }
    sim_session_worker* const sessions = sessions_.get();
    return kit_->register_channel(make_sim_session_agent(
        kit_.get(),
        &session_doubles_,
        [sessions](agent_request request) { return sessions->leave_to_driver(std::move(request)); }
    ));
}

void sim_process::hear(const std::optional<sim_session_news>& news) {
    if (sessions_ != nullptr && phase_ == phase::serving) {
        sessions_->hear(news);
    }
}

awaitable<void> sim_process::run() {
    const result<> equipped = equip();
    if (!equipped) {
        around_.world.fail("a kit refuses its channels: " + equipped.error().message());
    }
    result<> started = co_await kit_->init();
    if (started) {
        started = co_await kit_->subscribe(slot_, make_sim_subscriber(&doubles_, slot_));
    }
    if (started && sessions_ != nullptr) {
        sessions_->start();
    }
    if (started) {
        phase_ = phase::serving;
        around_.world.note("{} serves", host_.name());
        const result<> left = co_await leaves_.wait();
        static_cast<void>(left);  // nobody cancels
    }
    around_.world.note("{} closes", host_.name());
    phase_ = phase::leaving;
    leaves_.set();
    if (sessions_ != nullptr) {
        co_await sessions_->stop();
    }
    co_await kit_->close();
    co_await served_.join();
    watches_.request_stop();
    co_await watches_.join();
    phase_ = phase::ended;
    around_.world.note("{} has ended", host_.name());
    ask_.retire();
}

awaitable<void> sim_process::watch_burial() {
    const result<> buried = co_await kit_->buried().wait();
    if (buried) {
        leaves_.set();
    }
}

void sim_process::serve(std::shared_ptr<served_call> call, awaitable<void> work) {
    std::erase_if(calls_, [](const auto& known) { return known->is_answered; });
    calls_.push_back(std::move(call));
    served_.spawn("call", std::move(work));
}

void sim_process::lose_calls() {
    for (const auto& call : calls_) {
        if (!call->is_answered) {
            call->lose();
        }
    }
}

std::size_t sim_process::open_calls() const {
    return static_cast<std::size_t>(std::ranges::count_if(calls_, [](const auto& call) {
        return !call->is_answered;
    }));
}

}  // namespace convene
