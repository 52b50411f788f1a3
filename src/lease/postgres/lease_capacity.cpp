// SPDX-License-Identifier: Apache-2.0
// Lease capacity: one question a minute.
#include "lease/postgres/lease_capacity.hpp"

#include "base/log.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_counts = 60s;

constexpr std::int64_t percent_to_warn = 50;
constexpr std::int64_t percent_to_refuse = 70;

}  // namespace

awaitable<void> lease_capacity::run() {
    for (;;) {
        const result<> counted = co_await count();
        if (!counted) {
            log(log_level::debug, "locks_not_counted", {{"error", counted.error()}});
        }
        const result<> slept = co_await sleep_for(between_counts);
        if (!slept) {
            co_return;
        }
    }
}

awaitable<result<>> lease_capacity::count() {
    request asked;
    // What the settings promise; a server has some more, which other things may take.
    asked.add(
        "SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),"
        " current_setting('max_locks_per_transaction')::bigint *"
        " (current_setting('max_connections')::bigint +"
        " current_setting('max_prepared_transactions')::bigint)"
    );
    auto answers = co_await session_.ask(std::move(asked));
    if (!answers) {
        co_return answers.error();
    }
    if (!answers->front().is_good()) {
        co_return answers->front().error->code;
    }
    std::int64_t held = 0;
    std::int64_t capacity = 1;
    sql::query rows{&answers->front().rows};
    if (rows.next()) {
        rows.read(held, capacity);
    }
    const std::int64_t percent = held * 100 / capacity;
    is_server_full_ = percent >= percent_to_refuse;
    if (percent >= percent_to_warn) {
        log(log_level::warn,
            "lock_table_fills",
            {{"advisory_locks", held},
             {"capacity", capacity},
             {"refuses_new_leases", is_server_full_},
             {"message", "double max_locks_per_transaction and restart the server"}});
    }
    co_return result<>{};
}

}  // namespace convene::postgres
