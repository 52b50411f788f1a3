// SPDX-License-Identifier: Apache-2.0
// Local worker: putting the parts together, and letting them go in order.
#include "app/local_worker.hpp"

#include "convene/postgres_lock_manager.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agent/registered_agent.hpp"
#include "agent/session/session_channel.hpp"
#include "app/delivery_files.hpp"
#include "app/deployment_secrets.hpp"
#include "app/plan_format.hpp"
#include "base/assert.hpp"
#include "base/config/configuration.hpp"

namespace convene {

namespace {

constexpr std::size_t file_threads = 2;

/// Deliveries that have not moved for this long are left to a later command.
constexpr std::chrono::seconds patience{30};
constexpr std::chrono::milliseconds between_looks{50};

room_kit_settings settings_of(const configuration& settings) {
    room_kit_settings with;
    with.process_timeout = settings.duration("PROCESS_TIMEOUT");
    with.delivery_wait_timeout = settings.duration("DELIVERY_WAIT_TIMEOUT");
    with.delivery_gap_timeout = settings.duration("DELIVERY_GAP_TIMEOUT");
    with.set_deadline = settings.duration("SET_DEADLINE");
    with.commit_slots = static_cast<std::size_t>(settings.integer("LOCK_POOL_MAX_SIZE"));
    with.frames_kept = std::chrono::days{settings.integer("SESSION_FRAMES_RETENTION_DAYS")};
    with.runs_kept = std::chrono::days{settings.integer("SESSION_RUNS_RETENTION_DAYS")};
    with.recovery = settings.text("DELIVERY_RECOVERY") == "skip" ? delivery_recovery::skip
                                                                 : delivery_recovery::redeliver;
    return with;
}

http_client_settings client_settings_of(const configuration& settings) {
    http_client_settings with;
    with.policy = outgoing_policy_of(settings);
    return with;
}

room_kit_parts parts_of(
    loop& where,
    conversation_store& store,
    lock_manager& locks,
    commit_listener* commits,
    lane_bell& bell,
    remote_hook_caller& hooks,
    const incarnation_id& incarnation
) {
    room_kit_parts parts;
    parts.where = &where;
    parts.store = &store;
    parts.locks = &locks;
    parts.commits = commits;
    parts.bell = &bell;
    parts.remote_hooks = &hooks;
    parts.incarnation = incarnation;
    parts.plan_format = plan_format();
    return parts;
}

awaitable<result<bool>> leave_to_driver(
    room_kit* kit, const std::function<void()>* turn_queued, agent_request request
) {
    const result<bool> left = co_await queue_message_turn(kit, std::move(request));
    if (left && *left && *turn_queued) {
        (*turn_queued)();
    }
    co_return left;
}

std::map<std::string, keyed_channel_maker> keyed_channels(
    room_kit& kit, model_maker& models, const std::function<void()>& turn_queued
) {
    const auto leave = [&kit, &turn_queued](agent_request request) {
        return leave_to_driver(&kit, &turn_queued, std::move(request));
    };
    const auto make = [&kit,
                       &models,
                       leave](const registered_channel& stored, const std::string& key) {
        const auto model = [&models](const wanted_model& wanted) { return models.make(wanted); };
        return make_registered_agent(stored, key, &kit, model, leave);
    };
    return {{std::string{model_agent_type}, make}};
}

}  // namespace

outcome<std::unique_ptr<local_worker>> local_worker::open(
    loop& where, const command_context& with, sqlite_creation creation, commit_listener* commits
) {
    auto database = open_worker_database(where, with.database, *with.settings, creation);
    if (!database) {
        return database.error();
    }
    const outcome<deployment_key> key = load_deployment_key(
        *with.settings, with.database, system_random()
    );
    if (!key) {
        where.run_until_done(database->store->close());
        return key.error();
    }
    return std::unique_ptr<local_worker>{
        new local_worker{where, *with.settings, *key, std::move(*database), commits}
    };
}

local_worker::local_worker(
    loop& where,
    const configuration& settings,
    const deployment_key& key,
    worker_database database,
    commit_listener* commits
)
    : files_(file_threads),
      store_(std::move(database.store)),
      locks_(std::move(database.locks)),
      shared_locks_(database.shared_locks),
      secrets_(key),
      http_(where, client_settings_of(settings)),
      hooks_({&secrets_, &system_wall_clock(), sender()}),
      models_(where, settings),
      channels_(channel_service_parts{
          &kit_,
          store_.get(),
          &system_wall_clock(),
          &system_random(),
          &secrets_,
          sender(),
          keyed_channels(kit_, models_, turn_queued_)
      }),
      kit_(
          parts_of(where, *store_, *locks_, commits, bell_, hooks_, database.incarnation),
          settings_of(settings)
      ) {
    const result<> registered = kit_.register_channel(std::make_shared<delivery_files>(files_));
    CONVENE_ASSERT(registered, "the first channel of a kit can't be there already");
}

http_sender local_worker::sender() {
    return [this](http_call call, deadline until) { return http_.send(std::move(call), until); };
}

awaitable<outcome<>> local_worker::start() {
    if (shared_locks_ != nullptr) {
        const result<> locked = co_await shared_locks_->start();
        if (!locked) {
            co_return store_failure(locked.error(), "opening the locks of the database");
        }
    }
    const result<> known = co_await channels_.load();
    if (!known && known.error() == errc::corrupt_data) {
        co_return failure{
            exit_code::database_problem,
            "the secret of a registered channel was sealed under another key",
            "start with the SECRETS_KEY it was sealed with, or bring back the file DATABASE.key"
        };
    }
    if (!known) {
        co_return store_failure(known.error(), "reading the registered channels");
    }
    const result<> ready = co_await kit_.init();
    if (!ready) {
        co_return store_failure(ready.error(), "taking up what was left undelivered");
    }
    co_return outcome<>{};
}

awaitable<void> local_worker::stop() { return shielded(kit_.close()); }

bool local_worker::has_busy_lane() const {
    return std::ranges::any_of(kit_.lanes(), [](const room_kit::lane_figures& lane) {
        return lane.queued != 0 || lane.is_delivering;
    });
}

awaitable<result<std::int64_t>> local_worker::count_waiting() {
    if (shared_locks_ != nullptr) {
        // What is stored is everybody's.
        std::int64_t ours = 0;
        for (const room_kit::lane_figures& lane : kit_.lanes()) {
            ours += static_cast<std::int64_t>(lane.queued) + (lane.is_delivering ? 1 : 0);
        }
        co_return ours;
    }
    ops::read_figures request;
    const auto figures = co_await store_->run(request);
    if (!figures) {
        co_return figures.error();
    }
    co_return figures->pending_deliveries + figures->outbound_waiting;
}

awaitable<result<std::int64_t>> local_worker::settle() {
    const coroutine_context context = co_await this_context();
    std::int64_t left = -1;
    monotonic_time moved_at = context.where->now();
    for (;;) {
        const result<std::int64_t> waiting = co_await count_waiting();
        if (!waiting) {
            co_return waiting.error();
        }
        const monotonic_time now = context.where->now();
        if (*waiting != left) {
            left = *waiting;
            moved_at = now;
        }
        const bool is_stuck = now - moved_at > patience;
        if ((left == 0 && !has_busy_lane()) || is_stuck) {
            co_return left;
        }
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return slept.error();
        }
    }
}

}  // namespace convene
