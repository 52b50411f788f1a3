// SPDX-License-Identifier: Apache-2.0
// What operators ask of the lock manager: who holds what, in every worker, and taking a name away.
#include <utility>

#include "base/log.hpp"
#include "lease/postgres/advisory_leases.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

// A holder that others want to lose its lease is waited for so long; after that it is asked for anew.
constexpr auto longest_letting_go = 60s;

}  // namespace

// -- what is held ------------------------------------------------------------------------------------

/// Every name that somebody in this process has or wants. Whoever is first in a line of this process and was not granted
/// the lock of the database waits for another worker.
std::vector<advisory_lock_manager::own_lease> advisory_lock_manager::own_leases() const {
    struct grant {
        monotonic_time since;
        standing how;
    };

    std::map<lease_name, grant> granted;
    for (const long_lease* const one : held_) {
        const standing how = one->has_session() ? standing::holds : standing::lost_its_session;
        granted.emplace(one->name(), grant{one->since(), how});
    }
    for (const room_lease& one : held_rooms_) {
        if (one.is_under_way()) {
            granted.emplace(one.name(), grant{one.since(), standing::holds});
        }
    }
    std::vector<own_lease> all;
    for (lease_info& one : local_->list()) {
        own_lease own{std::move(one), standing::waits};
        if (const auto found = granted.find(own.info.name); found != granted.end()) {
            own.info.since = found->second.since;
            own.how = found->second.how;
        }
        const bool is_suspect = own.info.state == lease_state::held && session_.is_suspect();
        own.info.state = is_suspect ? lease_state::suspect : own.info.state;
        all.push_back(std::move(own));
    }
    return all;
}

/// Of the long ones: a room's lock is held for the time of a commit.
std::vector<lease_info> advisory_lock_manager::list() const {
    std::vector<lease_info> held;
    for (own_lease& one : own_leases()) {
        if (one.how != standing::waits && one.info.name.kind() != lease_kind::room) {
            held.push_back(std::move(one.info));
        }
    }
    return held;
}

std::vector<shown_lease> advisory_lock_manager::shown() const {
    std::vector<shown_lease> all;
    for (own_lease& one : own_leases()) {
        const bool is_held = one.how == standing::holds;
        const std::size_t waiters = one.info.waiters + (is_held ? 0 : 1);
        if (one.how != standing::lost_its_session) {
            all.push_back({std::move(one.info.name), is_held, one.info.since, waiters});
        }
    }
    return all;
}

awaitable<result<std::vector<worker_lease>>> advisory_lock_manager::list_all(deadline until) {
    const auto others = co_await with_deadline(until, bus_.read_others());
    if (!others) {
        co_return others.error();
    }
    std::vector<worker_lease> here;
    for (own_lease& one : own_leases()) {
        const bool is_short = one.info.name.kind() == lease_kind::room &&
                              !lease_board::is_shown(one.info.since, where_.now());
        if (one.how == standing::holds && !is_short) {
            here.push_back({std::move(one.info), {}, {}});
        }
    }
    co_return leases_on(std::move(here), shown(), *others);
}

// -- taking away -------------------------------------------------------------------------------------

std::optional<lease_name> advisory_lock_manager::held_under(std::int64_t key) const {
    for (const long_lease* const one : held_) {
        if (one->key() == key && one->has_session()) {
            return one->name();
        }
    }
    for (const room_lease& one : held_rooms_) {
        if (one.is_under_way() && one.name().key() == key) {
            return one.name();
        }
    }
    return std::nullopt;
}

awaitable<result<>> advisory_lock_manager::revoke(lease_name name, deadline until) {
    // Whoever leaves the line of this process has given the lock back before.
    const result<> revoked = co_await local_->revoke(std::move(name), until);
    co_return revoked;
}

awaitable<result<lease_release>> advisory_lock_manager::take_away(
    lease_name name, stubborn_holder otherwise, deadline until
) {
    const std::int64_t key = name.key();
    const result<std::int64_t> session = co_await with_deadline(until, forced_.find_session(key));
    if (!session) {
        co_return session.error();
    }
    const bool is_ours = held_under(key).has_value();
    auto asking = is_ours ? local_->revoke(std::move(name), deadline::never())
                          : forced_.ask_for(key, *session);
    const result<> let_go = co_await with_deadline(until, std::move(asking));
    if (let_go) {
        co_return lease_release::let_go;
    }
    const bool ends_it = otherwise == stubborn_holder::loses_its_session;
    if (let_go.error() != errc::timed_out || !ends_it) {
        co_return let_go.error();
    }
    const result<> ended = co_await forced_.end_session(key, *session);
    if (!ended) {
        co_return ended.error();
    }
    co_return lease_release::session_ended;
}

/// Another worker's operator takes a name away that is held here.
awaitable<void> advisory_lock_manager::let_go_for_others(lease_name name) {
    log(log_level::warn, "lease_taken_away", {{"lease", name.display()}});
    const deadline until{where_.now() + longest_letting_go};
    const result<> let_go = co_await local_->revoke(name, until);
    let_go_.erase(name);
    if (let_go) {
        session_.notify(revoked_channel, std::to_string(name.key()));
    }
}

}  // namespace convene::postgres
