// SPDX-License-Identifier: Apache-2.0
// The difference between two looks, and the sum of all boards.
#include "lease/lease_board.hpp"

#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Between two looks, and how old a name has to be to be shown.
constexpr auto heartbeat = 500ms;

}  // namespace

bool lease_board::is_shown(monotonic_time since, monotonic_time now) noexcept {
    return now - since >= heartbeat;
}

lease_board::changes lease_board::look(const std::vector<shown_lease>& names, monotonic_time now) {
    next_look_ = now + heartbeat;
    changes found;
    found.starts_over = std::exchange(starts_over_, false);
    std::map<std::int64_t, entry> before = std::exchange(written_, {});
    for (const shown_lease& one : names) {
        if (!is_shown(one.since, now)) {
            continue;
        }
        const std::int64_t key = one.name.key();
        const entry is_now{one.is_held, one.since, one.waiters};
        // Of two names with one key the first is shown: the database has one lock for both.
        if (!written_.emplace(key, is_now).second) {
            continue;
        }
        const auto was = before.extract(key);
        if (was.empty() || was.mapped() != is_now) {
            found.written.push_back(one);
        }
    }
    for (const auto& [key, gone] : before) {
        found.removed.push_back(key);
    }
    has_written_ = has_written_ || !found.written.empty();
    return found;
}

void lease_board::start_over() noexcept {
    written_.clear();
    starts_over_ = true;
}

std::vector<worker_lease> leases_on(
    std::vector<worker_lease> held_here,
    const std::vector<shown_lease>& shown_here,
    const std::vector<board_line>& others
) {
    std::map<lease_name, std::size_t> waiters;
    for (const shown_lease& one : shown_here) {
        waiters[one.name] += one.waiters;
    }
    for (const board_line& one : others) {
        waiters[one.shown.name] += one.shown.waiters;
    }
    std::vector<worker_lease> all = std::move(held_here);
    for (const board_line& one : others) {
        if (one.shown.is_held) {
            const lease_info held{one.shown.name, lease_state::held, one.shown.since, 0};
            all.push_back({held, one.worker, one.host});
        }
    }
    for (worker_lease& one : all) {
        one.lease.waiters = waiters[one.lease.name];
    }
    return all;
}

}  // namespace convene
