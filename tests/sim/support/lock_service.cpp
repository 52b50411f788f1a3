// SPDX-License-Identifier: Apache-2.0
// Granting, awaiting and freeing the simulated database's locks.
#include "sim/support/lock_service.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "sim/support/host.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// How late a waiter that polls notices that a lock is free.
constexpr auto slowest_poll = 200ms;

/// Fairness is a habit of databases, not a promise.
constexpr per_mille overtaking{150};

}  // namespace

sim_lock_service::sim_lock_service(sim_world& world)
    : world_(world), random_(world.random().fork()) {}

void sim_lock_service::try_lock(
    const std::shared_ptr<sim_connection>& session,
    const std::string& name,
    const answer_function& answer
) {
    lock_state& state = locks_[name];
    if (state.holder) {
        tell_holder(state, name);
        answer(errc::lease_busy);
        return;
    }
    state.holder = session;
    answer(result<>{});
}

void sim_lock_service::lock(
    const std::shared_ptr<sim_connection>& session,
    const std::string& name,
    lock_wait wait,
    answer_function answer
) {
    lock_state& state = locks_[name];
    // Locks nest within a session: taking one twice would need two unlocks.
    CONVENE_ASSERT(state.holder != session, "a session takes a lock that it holds");
    state.queue.push_back({session, wait, std::move(answer)});
    if (state.holder) {
        tell_holder(state, name);
    } else {
        grant(state, name, state.queue.size() - 1);
    }
}

bool sim_lock_service::unlock(sim_connection& session, const std::string& name) {
    const auto known = locks_.find(name);
    if (known == locks_.end() || known->second.holder.get() != &session) {
        return false;
    }
    known->second.holder.reset();
    offer(name);
    return true;
}

void sim_lock_service::give_up(sim_connection& session, const std::string& name) {
    if (!unlock(session, name)) {
        leave_queue(locks_[name], session);
    }
}

void sim_lock_service::free_all(sim_connection& session) {
    std::vector<std::string> freed;
    for (auto& [name, state] : locks_) {
        leave_queue(state, session);
        if (state.holder.get() == &session) {
            freed.push_back(name);
        }
    }
    for (const std::string& name : freed) {
        world_.note("lock {} is free: its session ended", name);
        unlock(session, name);
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

void sim_lock_service::grant(lock_state& state, const std::string& name, std::size_t place) {
    const waiting next = std::move(state.queue[place]);
    state.queue.erase(state.queue.begin() + static_cast<std::ptrdiff_t>(place));
    state.holder = next.session;
    next.answer(result<>{});
    if (!state.queue.empty()) {
        tell_holder(state, name);
    }
}

void sim_lock_service::offer(const std::string& name) {
    lock_state& state = locks_[name];
    if (state.holder || state.queue.empty()) {
        return;
    }
    const std::size_t next = draw_next(state);
    if (state.queue[next].how == lock_wait::blocking) {
        grant(state, name, next);
        return;
    }
    // Until somebody polls the lock is anybody's.
    world_.after(random_.skewed(0ms, slowest_poll), [this, name] {
        lock_state& later = locks_[name];
        if (!later.holder && !later.queue.empty()) {
            grant(later, name, draw_next(later));
        }
    });
}

std::size_t sim_lock_service::draw_next(const lock_state& state) {
    return random_.happens(overtaking) ? random_.index(state.queue.size()) : 0;
}

void sim_lock_service::tell_holder(const lock_state& state, const std::string& name) {
    state.holder->notify([holder = state.holder, name] { holder->wanted.insert(name); });
}

void sim_lock_service::leave_queue(lock_state& state, const sim_connection& session) {
    std::erase_if(state.queue, [&](const waiting& entry) {
        return entry.session.get() == &session;
    });
}

}  // namespace convene
