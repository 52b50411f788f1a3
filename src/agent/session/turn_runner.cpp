// SPDX-License-Identifier: Apache-2.0
// Turn runner: looks, takes the lease of a session whose turn is due, and has it run.
#include "agent/session/turn_runner.hpp"

#include <algorithm>
#include <utility>

#include "store/store.hpp"

namespace convene {

namespace {

constexpr wall_time::duration shortest_wait = std::chrono::milliseconds{20};

}  // namespace

lease_name name_of_session(const organization_id& organization, const room_id& room) {
    return lease_name{lease_kind::session, organization, room.str()};
}

void turn_runner::start() {
    wake_.set();
    with_.scope->spawn("session runner", run_turns());
}

awaitable<void> turn_runner::run_turns() {
    for (;;) {
        const deadline look = co_await next_look();
        auto waiting = with_deadline(look, until_set(&wake_));
        const result<> woken = co_await std::move(waiting);
        if (!woken && woken.error() != errc::timed_out) {
            co_return;
        }
        wake_.reset();
        if (taken_ < concurrency_) {
            const result<> taken = co_await take_due_turns();
            if (!taken && taken.error() == errc::cancelled) {
                co_return;
            }
        }
    }
}

/// News wakes it; the clock does for turns that wait for their time, and where news was lost.
awaitable<deadline> turn_runner::next_look() {
    deadline look{with_.where->now() + poll_interval_};
    ops::next_turn_at request;
    const auto next = co_await with_.kit->store().run(request);
    if (next && *next) {
        // The time is the store's: a clock of ours that is ahead must not make us ask without a pause.
        const wall_time now = with_.clock->now();
        const deadline due{with_.where->now() + std::max(**next - now, shortest_wait)};
        look = look.sooner(due);
    }
    co_return look;
}

awaitable<result<>> turn_runner::take_due_turns() {
    ops::list_due_turns request;
    request.format = with_.kit->plan_format();
    const auto due = co_await with_.kit->store().run(request);
    if (!due) {
        co_return due.error();
    }
    for (const session_turn& turn : *due) {
        if (taken_ >= concurrency_ || is_stopping_) {
            break;  // whoever ends one looks again
        }
        auto held = co_await with_.locks->try_acquire(name_of_session(turn.organization, turn.room)
        );
        if (held) {
            ++taken_;
            with_.scope->spawn("turn", run_turn(*std::move(held), turn));
        }
    }
    co_return result<>{};
}

awaitable<void> turn_runner::run_turn(std::unique_ptr<lease> held, session_turn turn) {
    auto running = with_.run(std::move(held), std::move(turn));
    co_await std::move(running);
    --taken_;
    wake_.set();
}

}  // namespace convene
