// SPDX-License-Identifier: Apache-2.0
// Two looks 250 ms apart, with the key held in between.
#include "lease/postgres/death_watch.hpp"

#include <utility>

#include "base/log.hpp"
#include "lease/postgres/lease_bus.hpp"
#include "postgres/handle.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 500ms;
constexpr auto before_confirming = 250ms;

// After the database, or this session, came back the others need time to connect again.
constexpr auto grace_after_reconnect = 10s;

}  // namespace

awaitable<void> death_watch::run() {
    for (;;) {
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return;
        }
        if (!may_judge()) {
            continue;
        }
        const result<> looked = co_await look();
        if (!looked) {
            log(log_level::debug, "death_watch_failed", {{"error", looked.error()}});
        }
    }
}

/// A process's first connect is no reconnect: what a restarted single worker left is recovered at once.
bool death_watch::may_judge() const noexcept {
    const bool is_first_session = session_.generation() == 0;
    return session_.is_connected() && !session_.is_suspect() &&
           (is_first_session || session_.connected_for() > grace_after_reconnect);
}

awaitable<result<>> death_watch::look() {
    const auto others = co_await others_alive();
    if (!others) {
        co_return others.error();
    }
    std::vector<incarnation_id> silent;
    for (const incarnation_id& worker : *others) {
        const result<bool> taken = co_await session_.try_lock(liveness_key(worker));
        if (!taken) {
            co_return taken.error();
        }
        if (*taken) {
            silent.push_back(worker);
        }
    }
    if (silent.empty()) {
        co_return result<>{};
    }
    const result<> buried = co_await confirm_and_bury(std::move(silent));
    co_return buried;
}

awaitable<result<std::vector<incarnation_id>>> death_watch::others_alive() {
    request read;
    // Nobody who was not there when the database started has had the time to come back.
    read.add(
        "SELECT incarnation FROM workers WHERE state <> 3 AND incarnation <> ?1 AND"
        " (pg_postmaster_start_time() < now() - interval '10 seconds' OR ?2 = 0)"
        " ORDER BY incarnation LIMIT 64",
        self_,
        static_cast<std::int64_t>(session_.generation())
    );
    auto answers = co_await session_.ask(std::move(read));
    if (!answers) {
        co_return answers.error();
    }
    if (!answers->front().is_good()) {
        co_return answers->front().error->code;
    }
    std::vector<incarnation_id> found;
    sql::query rows{&answers->front().rows};
    while (rows.next()) {
        rows.read(found.emplace_back());
    }
    co_return std::move(found);
}

awaitable<result<>> death_watch::confirm_and_bury(std::vector<incarnation_id> silent) {
    const std::uint64_t generation = session_.generation();
    const result<> slept = co_await sleep_for(before_confirming);
    // Held all the time: no connection of the worker came back in between.
    const bool is_proven = slept && generation == session_.generation();
    if (is_proven) {
        request bury;
        for (const incarnation_id& worker : silent) {
            bury.add("UPDATE workers SET state = 3 WHERE incarnation = ?1 AND state <> 3", worker);
        }
        bury.end_group();
        for (const incarnation_id& worker : silent) {
            add_board_removal(&bury, worker);
        }
        const auto buried = co_await shielded(session_.ask(std::move(bury)));
        if (buried) {
            for (const incarnation_id& worker : silent) {
                log(log_level::warn, "worker_dead", {{"incarnation", worker}});
            }
        }
    }
    for (const incarnation_id& worker : silent) {
        session_.start_unlock(liveness_key(worker), nullptr);
    }
    co_return slept;
}

}  // namespace convene::postgres
