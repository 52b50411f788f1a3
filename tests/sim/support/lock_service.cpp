// SPDX-License-Identifier: Apache-2.0
// Granting, awaiting and freeing the simulated database's locks.
#include "sim/support/lock_service.hpp"

#include <algorithm>
#include <utility>

#include "sim/support/host.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// A wait inside the server comes in slices.
constexpr auto longest_wait = 2s;

/// Fairness is a habit of databases, not a promise.
constexpr per_mille overtaking{150};

/// A wait that ends in the moment in which the lock is granted.
constexpr per_mille granted_too_late{50};

/// Words between sessions are best effort.
constexpr per_mille lost_words{100};

}  // namespace

sim_lock_service::sim_lock_service(sim_world& world)
    : world_(world), random_(world.random().fork()) {}

void sim_lock_service::try_lock(
    const std::shared_ptr<sim_connection>& session,
    const std::string& name,
    const answer_function& answer
) {
    lock_state& state = locks_[name];
    if (state.holder && state.holder != session) {
        const bool is_known = std::ranges::find(state.interested, session) !=
                              state.interested.end();
        if (!is_known && session->listens()) {
            state.interested.push_back(session);
        }
        tell_holder(state, name);
        answer(errc::lease_busy);
        return;
    }
    state.holder = session;
    ++state.depth;
    answer(result<>{});
}

void sim_lock_service::lock(
    const std::shared_ptr<sim_connection>& session, const std::string& name, answer_function answer
) {
    lock_state& state = locks_[name];
    if (!state.holder || state.holder == session) {
        state.holder = session;
        ++state.depth;
        answer(result<>{});
        return;
    }
    const std::uint64_t ticket = ++last_ticket_;
    state.queue.push_back({session, ticket, std::move(answer)});
    world_.after(longest_wait, [this, name, ticket] { end_wait(name, ticket); });
}

void sim_lock_service::end_wait(const std::string& name, std::uint64_t ticket) {
    std::vector<waiting>& queue = locks_[name].queue;
    const auto late = std::ranges::find(queue, ticket, &waiting::ticket);
    if (late != queue.end()) {
        const waiting gone = std::move(*late);
        queue.erase(late);
        gone.answer(errc::store_busy);
    }
}

void sim_lock_service::stop_waiting(const sim_connection& session, const std::string& name) {
    const std::vector<waiting>& queue = locks_[name].queue;
    const auto stopped = std::ranges::find_if(queue, [&](const waiting& entry) {
        return entry.session.get() == &session;
    });
    if (stopped != queue.end()) {
        end_wait(name, stopped->ticket);
    }
}

bool sim_lock_service::unlock(sim_connection& session, const std::string& name) {
    const auto known = locks_.find(name);
    if (known == locks_.end() || known->second.holder.get() != &session) {
        return false;
    }
    lock_state& state = known->second;
    if (--state.depth == 0) {
        state.holder.reset();
        tell_interested(state, name);
        grant_next(state);
    }
    return true;
}

void sim_lock_service::free_all(sim_connection& session) {
    for (auto& [name, state] : locks_) {
        leave(state, session);
        if (state.holder.get() == &session) {
            world_.note("lock {} is free: its session ended", name);
            state.holder.reset();
            state.depth = 0;
            grant_next(state);
        }
    }
}

const sim_connection* sim_lock_service::holder(const std::string& name) const {
    const auto known = locks_.find(name);
    return known == locks_.end() ? nullptr : known->second.holder.get();
}

std::vector<sim_lock_service::held_lock> sim_lock_service::list_held() const {
    std::vector<held_lock> held;
    for (const auto& [name, state] : locks_) {
        if (state.holder) {
            held.push_back({name, state.holder.get()});
        }
    }
    return held;
}

void sim_lock_service::grant_next(lock_state& state) {
    if (state.queue.empty()) {
        return;
    }
    const auto place = state.queue.begin() + static_cast<std::ptrdiff_t>(draw_next(state));
    const waiting next = std::move(*place);
    state.queue.erase(place);
    state.holder = next.session;
    state.depth = 1;
    if (random_.happens(granted_too_late)) {
        next.answer(errc::store_busy);
        return;
    }
    next.answer(result<>{});
}

std::size_t sim_lock_service::draw_next(const lock_state& state) {
    return random_.happens(overtaking) ? random_.index(state.queue.size()) : 0;
}

void sim_lock_service::tell_holder(const lock_state& state, const std::string& name) {
    if (state.holder->listens() && !random_.happens(lost_words)) {
        state.holder->notify([holder = state.holder, name] { holder->heard().wanted(name); });
    }
}

void sim_lock_service::tell_interested(lock_state& state, const std::string& name) {
    for (const auto& session : std::exchange(state.interested, {})) {
        if (!random_.happens(lost_words)) {
            session->notify([session, name] { session->heard().released(name); });
        }
    }
}

void sim_lock_service::leave(lock_state& state, const sim_connection& session) {
    std::erase_if(state.queue, [&](const waiting& entry) {
        return entry.session.get() == &session;
    });
    std::erase_if(state.interested, [&](const auto& other) { return other.get() == &session; });
}

}  // namespace convene
